//! What is said about a trunk: by itself, to those who look whether it is there, and when it has stopped.

use endonym::phone::sip::Trunk;

use super::{
    super::phones::sipp::{RING, Sipp, answer, takes},
    Call, trunk_at,
};

/// Logs have what a trunk says, and no numbers.
#[tokio::test]
async fn a_number_in_what_a_trunk_says_is_masked() {
    let reason = "Reason: Q.850;cause=1;text=\"+1 202 555-0123 unknown\"\n";
    for (line, headers, wanted) in [
        ("404 Not Found", reason, "404 Q.850;cause=1;text=\"+* *** ***-**23 unknown\""),
        ("499 +12025550123 is nobody", "", "499 +*********23 is nobody"),
    ] {
        let trunk_side = Sipp::start(&[RING, &answer(line, headers), &takes("ACK")].concat()).await;
        let trunk = Trunk::open(&trunk_at(trunk_side.port)).await.unwrap();
        assert_eq!(Call::place(&trunk).end().await.says, wanted);
        trunk_side.expect_success().await;
    }
}
