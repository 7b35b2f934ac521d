//! `endonym ready`, the health check of a container.

use crate::support::{
    database::execute,
    process::{CommandOutput, Installation},
};

#[tokio::test]
async fn it_says_what_readyz_says() {
    let here = Installation::new().await;
    let serving = here.serve(&[]);
    let ask = || here.run(&["ready", "--listen", serving.address()]);
    assert!(ask().succeeded().contains("\"ok\""));
    // A proxy for outbound requests must not be used.
    let proxied = CommandOutput::of(
        here.command(&["ready"])
            .env("ENDONYM_LISTEN", serving.address())
            .env("HTTP_PROXY", "http://127.0.0.1:1"),
    );
    proxied.succeeded();
    execute(&here.database().await, "DELETE FROM migrations", vec![]).await;
    let refused = ask().refused();
    assert!(refused.contains("503") && refused.contains("endonym migrate"), "{refused}");
    let address = serving.address().to_owned();
    serving.kill();
    let refused = here.refuse(&["ready", "--listen", &address]);
    assert!(refused.contains(&address), "{refused}");
    here.refuse(&["ready", "--listen", "no address"]);
}
