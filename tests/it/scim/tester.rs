//! `scim2-tester`, an independent compliance tester, against the real server.

use std::process::{Command, Stdio};

use super::Directory;
use crate::support::World;

#[tokio::test]
#[allow(clippy::disallowed_methods)]
async fn scim2_tester_finds_nothing_wrong() {
    let python = std::env::var_os("ENDONYM_TEST_PYTHON").expect(
        "ENDONYM_TEST_PYTHON must name a Python with scim2-tester; `./test` makes one (docs/testing.md)",
    );
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let mut command = Command::new(python);
    command
        .args(["-W", "ignore", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/scim/tester.py")])
        .args([directory.url(""), directory.token.clone()])
        .stdin(Stdio::null());
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap();
    let output = output.expect("the Python that ENDONYM_TEST_PYTHON names can be run");
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
    let passed = said.lines().filter(|line| line.starts_with("SUCCESS")).count();
    assert!(passed > 50, "only {passed} checks have passed:\n{said}");
}
