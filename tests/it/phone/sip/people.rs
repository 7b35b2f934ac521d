//! People with phones: baresip answers, presses keys, speaks and hangs up.

use std::time::Duration;

use endonym::{
    domain::{
        call::{Outcome, Reason},
        conversation::{End, Step},
    },
    phone::{
        Progress,
        sip::{Settings, Trunk},
    },
};
use tokio::time::sleep;

use super::{
    super::phones::{
        baresip::{Baresip, Setup},
        free_ports, sound,
    },
    Call, NUMBER, trunk_at,
};

const NAME: &str = "Siobhan Papadopoulou";

/// Says this name after the tone, and presses `#` at its end.
pub async fn record(phone: &mut Baresip, call: &Call, words: &[i16], take: u8) {
    call.until_step(Step::Record { take }).await;
    let file = phone.folder().join(format!("take{take}.wav"));
    sound::spoken(words, 0.7, &file);
    phone.say(&file).await;
    // While it plays: after two seconds of silence the recording would end by itself.
    sleep(Duration::from_secs_f32(0.7 + words.len() as f32 / sound::RATE as f32 + 0.7)).await;
    phone.press('#').await;
    call.until_step(Step::Review { take, said: 1 }).await;
}

#[tokio::test]
async fn somebody_answers_says_their_name_and_keeps_it() {
    let mut phone = Baresip::start(NUMBER, Setup::default()).await;
    let trunk = Trunk::open(&trunk_at(phone.port)).await.unwrap();
    let name = sound::speech(NAME, &phone.folder());
    let call = Call::place(&trunk);
    call.until(Progress::Answered).await;
    phone.until("CALL_ESTABLISHED").await;
    phone.press('1').await;
    record(&mut phone, &call, &name, 1).await;
    phone.press('1').await;
    let ended = call.end().await;
    assert_eq!(ended.outcome, Outcome::Recorded, "{}", ended.says);
    sound::compare(&name, &sound::read(&ended.recording.unwrap())).expect_the_same();
    phone.until("CALL_CLOSED").await;
}

#[tokio::test]
async fn a_second_take_is_the_one_that_is_kept_and_a_law_is_spoken_too() {
    let mut phone = Baresip::start(NUMBER, Setup { codecs: "pcma", ..Setup::default() }).await;
    let trunk = Trunk::open(&trunk_at(phone.port)).await.unwrap();
    let (cough, name) = (sound::speech("hem", &phone.folder()), sound::speech(NAME, &phone.folder()));
    let call = Call::place(&trunk);
    phone.until("CALL_ESTABLISHED").await;
    phone.press('1').await;
    record(&mut phone, &call, &cough, 1).await;
    phone.press('2').await;
    record(&mut phone, &call, &name, 2).await;
    phone.press('1').await;
    let ended = call.end().await;
    assert_eq!(ended.outcome, Outcome::Recorded, "{}", ended.says);
    sound::compare(&name, &sound::read(&ended.recording.unwrap())).expect_the_same();
}

#[tokio::test]
async fn somebody_hangs_up_half_way() {
    let mut phone = Baresip::start(NUMBER, Setup::default()).await;
    // By host name, and with all optional settings.
    let sound_ports = free_ports(4);
    let settings = Settings {
        host: "localhost".to_owned(),
        listen: Some("127.0.0.1:0".parse().unwrap()),
        advertise: Some("127.0.0.1".parse().unwrap()),
        rtp_ports: Some((sound_ports, sound_ports + 3)),
        ..trunk_at(phone.port)
    };
    let trunk = Trunk::open(&settings).await.unwrap();
    let call = Call::place(&trunk);
    phone.until("CALL_ESTABLISHED").await;
    phone.press('1').await;
    call.until_step(Step::Record { take: 1 }).await;
    phone.hang_up().await;
    call.until_step(Step::Over { end: End::HungUp }).await;
    let ended = call.end().await;
    assert_eq!(ended.outcome, Outcome::Failed(Reason::HungUp));
    assert!(ended.recording.is_none());
}

#[tokio::test]
async fn nobody_answers_and_the_phone_stops_to_ring() {
    let phone = Baresip::start(NUMBER, Setup { answers: false, ..Setup::default() }).await;
    let trunk = Trunk::open(&trunk_at(phone.port)).await.unwrap();
    let call = Call::ringing_for(&trunk, NUMBER, Duration::from_secs(2));
    call.until(Progress::Ringing).await;
    let ended = call.end().await;
    assert_eq!(ended.outcome, Outcome::NoAnswer, "{}", ended.says);
    phone.until("CALL_CLOSED").await;
    assert!(!phone.has_seen("CALL_ESTABLISHED"));
}

#[tokio::test]
async fn somebody_takes_their_time_to_answer_and_opts_out() {
    let mut phone = Baresip::start(NUMBER, Setup { answers: false, ..Setup::default() }).await;
    let trunk = Trunk::open(&trunk_at(phone.port)).await.unwrap();
    let call = Call::place(&trunk);
    call.until(Progress::Ringing).await;
    phone.until("CALL_INCOMING").await;
    phone.accept().await;
    call.until(Progress::Answered).await;
    phone.until("CALL_ESTABLISHED").await;
    phone.press('9').await;
    assert_eq!(call.end().await.outcome, Outcome::Canceled(Reason::OptedOut));
    phone.until("CALL_CLOSED").await;
}

#[tokio::test]
async fn a_phone_is_busy() {
    let mut phone = Baresip::start(NUMBER, Setup { answers: false, ..Setup::default() }).await;
    let trunk = Trunk::open(&trunk_at(phone.port)).await.unwrap();
    let call = Call::place(&trunk);
    phone.until("CALL_INCOMING").await;
    phone.hang_up().await;
    let ended = call.end().await;
    assert_eq!(ended.outcome, Outcome::Busy);
    assert!(ended.says.starts_with("486"), "{}", ended.says);
}

/// An answering machine: it talks, but never presses a key.
#[tokio::test]
async fn an_answering_machine_is_not_recorded() {
    let mut phone = Baresip::start(NUMBER, Setup::default()).await;
    let trunk = Trunk::open(&trunk_at(phone.port)).await.unwrap();
    let greeting =
        sound::speech("Nobody is at home. Please leave a message after the tone.", &phone.folder());
    let file = phone.folder().join("greeting.wav");
    sound::spoken(&greeting, 0.2, &file);
    let call = Call::place(&trunk);
    phone.until("CALL_ESTABLISHED").await;
    phone.say(&file).await;
    let ended = call.end().await;
    assert_eq!(ended.outcome, Outcome::Failed(Reason::NoKey));
    assert!(ended.recording.is_none());
    phone.until("CALL_CLOSED").await;
}

#[tokio::test]
async fn an_operator_ends_a_call_that_rings() {
    let phone = Baresip::start(NUMBER, Setup { answers: false, ..Setup::default() }).await;
    let trunk = Trunk::open(&trunk_at(phone.port)).await.unwrap();
    let call = Call::place(&trunk);
    phone.until("CALL_INCOMING").await;
    call.until(Progress::Ringing).await;
    call.hang_up.cancel();
    assert_eq!(call.end().await.outcome, Outcome::Canceled(Reason::ByOperator));
    phone.until("CALL_CLOSED").await;
    assert!(!phone.has_seen("CALL_ESTABLISHED"));
}

#[tokio::test]
async fn an_operator_ends_a_call_that_is_on() {
    let phone = Baresip::start(NUMBER, Setup::default()).await;
    let trunk = Trunk::open(&trunk_at(phone.port)).await.unwrap();
    let call = Call::place(&trunk);
    phone.until("CALL_ESTABLISHED").await;
    call.until(Progress::Answered).await;
    call.hang_up.cancel();
    assert_eq!(call.end().await.outcome, Outcome::Canceled(Reason::ByOperator));
    phone.until("CALL_CLOSED").await;
}

#[tokio::test]
async fn somebody_puts_us_on_hold_and_comes_back() {
    let mut phone = Baresip::start(NUMBER, Setup::default()).await;
    let trunk = Trunk::open(&trunk_at(phone.port)).await.unwrap();
    let name = sound::speech(NAME, &phone.folder());
    let call = Call::place(&trunk);
    phone.until("CALL_ESTABLISHED").await;
    phone.hold().await;
    call.until(Progress::Held(true)).await;
    phone.resume().await;
    call.until(Progress::Held(false)).await;
    phone.press('1').await;
    record(&mut phone, &call, &name, 1).await;
    phone.press('1').await;
    let ended = call.end().await;
    assert_eq!(ended.outcome, Outcome::Recorded, "{}", ended.says);
    sound::compare(&name, &sound::read(&ended.recording.unwrap())).expect_the_same();
    phone.until("CALL_CLOSED").await;
}
