//! What students do with their own entry besides recording: custom fields, deleting, withdrawing, and the way to `/me`.

use endonym::{
    app::{Actor, calls, consents},
    domain::{countries::Countries, quiet_hours::QuietHours},
};
use serde_json::{Value, json};

use super::{
    LEARNER, Platform, claim,
    pages::{TICKED, page_of_course, upload, upload_with},
};
use crate::{
    pages::SOUND,
    support::{Setup, media::wav_of},
};

const TO_OWN_PAGE: &str = "/me\" target=\"_blank\" rel=\"noopener\">Your own page";

/// Sends a form, and returns the page that follows.
async fn follow(platform: &Platform, own: (&str, &str), action: &str, form: &[(&str, &str)]) -> String {
    let (session, cookie) = own;
    let answer = platform.submit(session, action, form, cookie).await;
    assert_eq!(answer.status(), 303, "{action}");
    platform.text_of(answer.headers()["location"].to_str().unwrap(), cookie).await
}

/// The path of the recording on a student's page.
async fn sound(platform: &Platform, (session, cookie): (&str, &str)) -> Option<String> {
    let text = platform.text_of(session, cookie).await;
    let rest = text.split("<audio controls preload=\"none\" src=\"").nth(1)?;
    rest.split('"').next().map(str::to_owned)
}

async fn status(platform: &Platform, path: &str) -> u16 {
    platform.get(path, None).await.status().as_u16()
}

/// Whether each consent of the institution is withdrawn.
async fn withdrawn(platform: &Platform) -> Vec<bool> {
    let world = &platform.world;
    let all = consents::all(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    all.into_iter().map(|(_, consent)| consent.withdrawn_at.is_some()).collect()
}

#[tokio::test]
async fn a_student_edits_the_custom_fields_that_are_theirs() {
    let platform = Platform::new().await;
    let world = &platform.world;
    world.custom_field("degree").await;
    world.custom_field("unused").await;
    world.editable_field("a_hobby", "Hobby").await;
    world.editable_field("gender_pronouns", "Pronouns <b>").await;
    let (session, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let own = (session.as_str(), cookie.as_str());
    let fields = json!({ "custom_degree": "BA <i>" });
    let page = page_of_course(&platform).await;
    let body = json!({ "name_page_id": page.slug, "participant": { "custom_fields": fields } });
    world.put("/v5/participants/siobhan@example.edu", body).await.expect(200);

    let text = platform.text_of(&session, &cookie).await;
    for part in [
        "<label for=\"field-1\"><bdi>Pronouns &#60;b&#62;</bdi></label>",
        "name=\"custom_gender_pronouns\" value=\"\"",
        "name=\"custom_a_hobby\" value=\"\"",
        "<dt><bdi>degree</bdi></dt><dd><bdi>BA &#60;i&#62;</bdi></dd>",
        "<summary>How to write a name the way it sounds</summary>",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("name=\"custom_degree\"") && !text.contains("unused"), "{text}");

    let form = [("custom_gender_pronouns", "she/her"), ("custom_degree", "PhD"), ("custom_none", "x")];
    let text = follow(&platform, own, "details", &form).await;
    assert!(text.contains("Saved.") && text.contains("value=\"she/her\""), "{text}");
    assert!(text.contains("BA &#60;i&#62;") && !text.contains("PhD"), "{text}");

    let form = [("custom_gender_pronouns", "they\u{7}"), ("custom_a_hobby", "Chess"), ("notes", "kept")];
    let wrong = platform.submit(&session, "details", &form, &cookie).await;
    assert_eq!(wrong.status(), 422);
    let text = wrong.text().await.unwrap();
    let fault = "id=\"field-1-fault\">This has characters in it that cannot be used here.";
    assert!(text.contains(fault) && text.contains("aria-invalid=\"true\""), "{text}");
    assert!(text.contains("value=\"Chess\"") && text.contains("kept</textarea>"), "what was typed stays");
    assert!(platform.text_of(&session, &cookie).await.contains("value=\"she/her\""), "nothing has changed");
}

#[tokio::test]
async fn a_student_deletes_a_recording_in_one_course_or_everywhere() {
    let platform = Platform::new().await;
    let logic = |claims: &mut Value| claims[claim("context")] = json!({ "id": "c2", "title": "Logic" });
    let (here, here_cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let (there, there_cookie) = platform.session(logic, &[LEARNER]).await;
    let (here, there) = ((here.as_str(), here_cookie.as_str()), (there.as_str(), there_cookie.as_str()));
    let text = platform.text_of(here.0, here.1).await;
    assert!(!text.contains("Delete my recording"), "there is none: {text}");
    assert_eq!(upload(&platform, here.0, here.1, SOUND).await.status(), 303);
    let shared = [sound(&platform, here).await.unwrap(), sound(&platform, there).await.unwrap()];
    let other = wav_of(1.2, 220.0);
    assert_eq!(upload_with(&platform, there.0, there.1, &other, TICKED).await.status(), 303);
    let only = sound(&platform, there).await.unwrap();
    let text = platform.text_of(there.0, there.1).await;
    assert!(text.contains("Delete the recording for \u{2068}Logic\u{2069}"), "{text}");
    assert!(text.contains("<input type=\"hidden\" name=\"only_here\" value=\"1\">"), "{text}");

    let text = follow(&platform, there, "recording/delete", &[("only_here", "1")]).await;
    assert!(text.contains("Your recording is deleted."), "{text}");
    assert!(text.contains("Others cannot hear your name yet"), "{text}");
    assert_eq!((status(&platform, &only).await, status(&platform, &shared[0]).await), (404, 200));

    assert_eq!(upload(&platform, here.0, here.1, SOUND).await.status(), 303);
    let shared = [sound(&platform, here).await.unwrap(), sound(&platform, there).await.unwrap()];
    let text = platform.text_of(here.0, here.1).await;
    assert!(text.contains("Delete it everywhere") && !text.contains("type=\"hidden\" name=\"only_here\""));
    let text = follow(&platform, here, "recording/delete", &[]).await;
    assert!(text.contains("Your recording is deleted."), "{text}");
    for link in &shared {
        assert_eq!(status(&platform, link).await, 404);
    }
    assert_eq!((sound(&platform, here).await, sound(&platform, there).await), (None, None));
    // Once more does nothing, and the agreement stays.
    follow(&platform, here, "recording/delete", &[]).await;
    assert_eq!(withdrawn(&platform).await, [false]);
}

#[tokio::test]
async fn a_student_withdraws_and_pauses_or_deletes_the_recording() {
    let platform = Platform::new().await;
    let (session, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let own = (session.as_str(), cookie.as_str());
    assert_eq!(upload(&platform, &session, &cookie, SOUND).await.status(), 303);
    let link = sound(&platform, own).await.unwrap();
    let text = platform.text_of(&session, &cookie).await;
    assert!(text.contains("You agreed on") && text.contains(TO_OWN_PAGE), "{text}");
    for form in [vec![], vec![("then", "shred")]] {
        let answer = platform.submit(&session, "consent/withdraw", &form, &cookie).await;
        assert_eq!(answer.status(), 400, "{form:?}");
    }
    assert_eq!(withdrawn(&platform).await, [false]);

    let text = follow(&platform, own, "consent/withdraw", &[("then", "pause")]).await;
    assert!(text.contains("You have withdrawn your agreement."), "{text}");
    assert!(text.contains("Your recording is kept, and nobody can hear it for now."), "{text}");
    assert!(text.contains("I agree") && !text.contains("You agreed on"), "{text}");
    assert_eq!(status(&platform, &link).await, 404);
    assert_eq!(upload(&platform, &session, &cookie, SOUND).await.status(), 422);
    assert_eq!(withdrawn(&platform).await, [true]);

    platform.agree(&session, &cookie).await;
    let text = platform.text_of(&format!("{session}?done=consent"), &cookie).await;
    assert!(text.contains("Thank you. You can record your name now."), "{text}");
    let text = follow(&platform, own, "consent/withdraw", &[("then", "delete")]).await;
    assert!(text.contains("Others cannot hear your name yet") && text.contains("I agree"), "{text}");
    assert_eq!(withdrawn(&platform).await, [true]);
}

#[tokio::test]
async fn a_student_without_an_email_withdraws_and_deletes_too() {
    let calling = calls::Rules {
        enabled: true,
        attempts: 3,
        quiet_hours: QuietHours::OFF,
        countries: Countries::default(),
        ..calls::Rules::nobody()
    };
    let platform = Platform::with(Setup { calling, ..Setup::default() }).await;
    let without_email = |claims: &mut Value| {
        claims.as_object_mut().unwrap().remove("email");
    };
    let in_logic = |claims: &mut Value| {
        claims.as_object_mut().unwrap().remove("email");
        claims[claim("context")] = json!({ "id": "c2", "title": "Logic" });
    };
    let (session, cookie) = platform.session(without_email, &[LEARNER]).await;
    let (logic, logic_cookie) = platform.session(in_logic, &[LEARNER]).await;
    let (own, elsewhere) = ((session.as_str(), cookie.as_str()), (logic.as_str(), logic_cookie.as_str()));
    assert_eq!(upload(&platform, &session, &cookie, SOUND).await.status(), 303);
    let links = [sound(&platform, own).await.unwrap(), sound(&platform, elsewhere).await.unwrap()];
    let text = platform.text_of(&session, &cookie).await;
    assert!(!text.contains(TO_OWN_PAGE) && !text.contains("value=\"pause\""), "{text}");
    // A request to keep the recording never deletes it.
    let answer = platform.submit(&session, "consent/withdraw", &[("then", "pause")], &cookie).await;
    assert_eq!((answer.status().as_u16(), status(&platform, &links[0]).await), (400, 200));
    assert_eq!(withdrawn(&platform).await, [false, false]);

    let text = follow(&platform, own, "call", &[("phone_number", "+1 202 555 0123")]).await;
    assert!(text.contains("You will be called at"), "{text}");
    let text = follow(&platform, own, "consent/withdraw", &[("then", "delete")]).await;
    assert!(text.contains("You have withdrawn your agreement.") && text.contains("I agree"), "{text}");
    for link in &links {
        assert_eq!(status(&platform, link).await, 404, "the copy is gone, too");
    }
    assert_eq!(withdrawn(&platform).await, [true, true]);
    assert_eq!(upload(&platform, &session, &cookie, SOUND).await.status(), 422);

    platform.agree(&session, &cookie).await;
    let text = platform.text_of(&session, &cookie).await;
    assert!(!text.contains("You will be called at"), "the call is canceled: {text}");
    assert_eq!(upload(&platform, &session, &cookie, SOUND).await.status(), 303);
    let text = follow(&platform, own, "recording/delete", &[]).await;
    assert!(text.contains("Your recording is deleted."), "{text}");
    assert_eq!((sound(&platform, own).await, sound(&platform, elsewhere).await), (None, None));
}
