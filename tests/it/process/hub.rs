//! A running hub with subscribers on this machine.

use super::*;

/// Starts the service with the tests' certificate authority and callbacks to this machine allowed.
pub fn serve(home: &Home) -> Serving {
    let roots = home.0.path().join("ca.pem");
    fs::write(&roots, ca_pem()).unwrap();
    let mut command = reviews(home.0.path());
    command
        .arg("serve")
        .env("REVIEWS_BASE_URL", BASE)
        .env("REVIEWS_HUB_CA_FILE", roots);
    command
        .env("REVIEWS_HUB_ALLOW_CALLBACK_NETS", "127.0.0.0/8")
        .env("REVIEWS_HUB_RETRY_DELAYS", "1s,1s");
    Serving::start(&mut command)
}

/// Subscribes to the JSON feed with a secret. Returns the hub's answer.
pub fn subscribe(serving: &Serving, callback: &str) -> String {
    let form = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("hub.mode", "subscribe")
        .append_pair("hub.topic", &format!("{BASE}/api/feed.json"))
        .append_pair("hub.callback", callback)
        .append_pair("hub.secret", "s3cret")
        .finish();
    let mut stream = serving.connect();
    let head = "POST /api/websub/hub HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded";
    write!(
        stream,
        "{head}\r\nContent-Length: {}\r\n\r\n{form}",
        form.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}
