//! `reviews mcp` as a local agent runs it: one message per line.

use super::*;

/// The client's ends of the pipes.
struct Pipes {
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Pipes {
    /// Starts `command` with pipes for its input and output.
    fn start(command: &mut Command) -> (Child, Self) {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let pipes = Self {
            to: child.stdin.take().unwrap(),
            from: BufReader::new(child.stdout.take().unwrap()),
        };
        (child, pipes)
    }

    fn send(&mut self, line: &str) {
        self.to.write_all(line.as_bytes()).unwrap();
        self.to.write_all(b"\n").unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.send(&message.to_string());
        self.receive()
    }
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}})
}

fn call(name: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
}

#[test]
fn a_local_agent_lists_and_calls_tools_until_the_input_ends() {
    let home = Home::with(3);
    // The hub sends nothing here, so its root certificates are not read.
    let mut command = home.process("mcp");
    let (mut child, mut pipes) = Pipes::start(command.env("REVIEWS_HUB_CA_FILE", "missing.pem"));
    let list = json!({"jsonrpc": "2.0", "id": "l", "method": "tools/list"});
    // A request before `initialize` is refused.
    assert_eq!(pipes.ask(&list)["error"]["code"], -32_600);
    let opened = pipes.ask(&initialize());
    assert_eq!(opened["result"]["serverInfo"]["name"], "reviews-service");
    // Notifications and empty lines are not answered.
    pipes.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
    pipes.send("");
    let listed = pipes.ask(&list);
    assert_eq!(listed["id"], "l");
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 9);
    let search = call("search_reviews", &json!({"query": "2 / 9"}));
    let found = &pipes.ask(&search)["result"]["structuredContent"];
    assert_eq!(found["reviews"][0]["id"], "p-2");
    // Invalid messages do not end the connection.
    pipes.send("{");
    assert_eq!(pipes.receive()["error"]["code"], -32_700);
    pipes.send(&format!("\"{}\"", "x".repeat(64 * 1024)));
    assert_eq!(pipes.receive()["error"]["code"], -32_600);
    // The stateless revision works without HTTP headers.
    let discover = json!({"jsonrpc": "2.0", "id": 3, "method": "server/discover", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}});
    assert_eq!(pipes.ask(&discover)["result"]["resultType"], "complete");
    drop(pipes);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_local_agent_publishes_nothing_and_links_to_the_service() {
    let home = Home::with(3);
    // A service publishes with a base URL and stops.
    hub::serve(&home).stop();
    home.sql("update instance set first_base_url = 'https://first.sample.test/'");
    home.run_ok("status", &format!("base URL      {BASE}\n"));
    let recorded = || home.sql("select document, version, digest, changed_at from publication");
    let before = recorded();
    assert_eq!(before.lines().count(), 4);
    let (mut child, mut pipes) = Pipes::start(&mut home.process("mcp"));
    pipes.ask(&initialize());
    let found = pipes.ask(&call("get_review", &json!({"id": "p-1"})));
    let url = &found["result"]["structuredContent"]["url"];
    assert_eq!(*url, format!("{BASE}/reviews/p-1"));
    // Later changes are found within a quarter of a second; each request waits for its answer.
    home.insert(4, 4);
    let all = call("search_reviews", &json!({}));
    let is_seen =
        (0..20_000).any(|_| pipes.ask(&all)["result"]["structuredContent"]["matched"] == 4);
    assert!(is_seen, "a review that was added is not found");
    drop(pipes);
    assert!(child.wait().unwrap().success());
    assert_eq!(recorded(), before);
}
