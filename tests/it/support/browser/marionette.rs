//! Firefox's own remote protocol: the commands of WebDriver as JSON over TCP. geckodriver translates between the two, but Debian
//! has no package of it, and as a crate it has 200 dependencies to compile.

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufStream},
    net::TcpStream,
};

pub struct Marionette {
    stream: BufStream<TcpStream>,
    commands: u64,
}

impl Marionette {
    pub async fn connect(port: u16) -> Self {
        let stream = BufStream::new(TcpStream::connect(("127.0.0.1", port)).await.unwrap());
        let mut connected = Self { stream, commands: 0 };
        let greeting = connected.receive().await;
        assert_eq!(greeting["marionetteProtocol"], 3, "{greeting}");
        connected.call("NewSession", json!({})).await.expect("a session");
        connected
    }

    /// Sends a command of WebDriver, given by the path and the body that it has over HTTP.
    pub async fn command(&mut self, path: &str, mut body: Value) -> Result<Value, String> {
        let words: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        let name = match words[..] {
            ["url"] => "Navigate",
            ["back"] => "Back",
            ["refresh"] => "Refresh",
            ["element"] => "FindElement",
            ["element", id, action] => {
                body["id"] = json!(id);
                if action == "click" { "ElementClick" } else { "ElementSendKeys" }
            }
            ["actions"] => "PerformActions",
            ["execute", "sync"] => "ExecuteScript",
            ["execute", "async"] => "ExecuteAsyncScript",
            ["frame"] => {
                if let Some(element) = body["id"].get(super::ELEMENT).cloned() {
                    body = json!({ "element": element });
                }
                "SwitchToFrame"
            }
            ["window"] if body.is_null() => "GetWindowHandle",
            ["window"] => "SwitchToWindow",
            ["window", "handles"] => "GetWindowHandles",
            ["window", "new"] => "NewWindow",
            ["window", "rect"] => "SetWindowRect",
            ["screenshot"] => {
                body = json!({ "full": false });
                "TakeScreenshot"
            }
            _ => panic!("{path} is not translated for Firefox"),
        };
        let result = self.call(name, body).await?;
        Ok(result.get("value").cloned().unwrap_or(result))
    }

    async fn call(&mut self, name: &str, parameters: Value) -> Result<Value, String> {
        self.commands += 1;
        let parameters = if parameters.is_null() { json!({}) } else { parameters };
        let message = json!([0, self.commands, format!("WebDriver:{name}"), parameters]).to_string();
        self.stream.write_all(format!("{}:{message}", message.len()).as_bytes()).await.unwrap();
        self.stream.flush().await.unwrap();
        let answer = self.receive().await;
        assert_eq!(answer[1], self.commands, "{answer}");
        if answer[2].is_null() { Ok(answer[3].clone()) } else { Err(answer[2]["message"].to_string()) }
    }

    /// A message is its length in bytes, a colon and JSON.
    async fn receive(&mut self) -> Value {
        let mut length = Vec::new();
        self.stream.read_until(b':', &mut length).await.unwrap();
        length.pop().expect("Firefox is still running");
        let mut message = vec![0; String::from_utf8(length).unwrap().parse().unwrap()];
        self.stream.read_exact(&mut message).await.unwrap();
        serde_json::from_slice(&message).unwrap()
    }
}
