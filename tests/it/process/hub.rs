//! A running hub with subscribers on this machine.

use super::*;

/// Starts the service with the tests' certificate authority and callbacks to this machine allowed.
pub fn serve(home: &Home) -> ServingProcess {
    let roots = home.folder.path().join("ca.pem");
    fs::write(&roots, ca_pem()).unwrap();
    let mut command = home.process("serve");
    command.env("REVIEWS_HUB_CA_FILE", roots).envs([
        ("REVIEWS_BASE_URL", BASE),
        ("REVIEWS_HUB_ALLOW_CALLBACK_NETS", "127.0.0.0/8"),
        ("REVIEWS_HUB_RETRY_DELAYS", "1s,1s"),
    ]);
    ServingProcess::start(&mut command)
}

/// Subscribes to the JSON feed with a secret. Returns the hub's answer.
pub fn subscribe(serving: &ServingProcess, callback: &str) -> String {
    let topic = format!("{BASE}/api/feed.json");
    let fields = [
        ("hub.topic", &*topic),
        ("hub.callback", callback),
        ("hub.secret", "s3cret"),
    ];
    post(serving, &fields)
}

/// Sends a request to subscribe with these fields. Returns the hub's answer.
pub fn post(serving: &ServingProcess, fields: &[(&str, &str)]) -> String {
    let form = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("hub.mode", "subscribe")
        .extend_pairs(fields)
        .finish();
    let mut stream = serving.connect();
    let head = "POST /api/websub/hub HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded";
    let length = form.len();
    write!(stream, "{head}\r\nContent-Length: {length}\r\n\r\n{form}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}
