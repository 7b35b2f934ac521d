//! Prompts: an institution's name, spoken by the voice from the operations manual.

use endonym::{domain::conversation::Prompt, phone::Prompts};

use crate::support::process::Installation;

#[tokio::test]
async fn what_cannot_be_said_stops_the_start() {
    let here = Installation::new().await;
    let invite = here.path("prompts/en/invite.wav");
    std::fs::create_dir_all(invite.parent().unwrap()).unwrap();
    std::fs::write(&invite, "not sound").unwrap();
    let prompts = here.path("prompts");
    let said = here.refuse(&["serve", "--phone-prompts", prompts.to_str().unwrap()]);
    assert!(said.contains(&format!("{} is not audio", invite.display())), "{said}");
    let said = here.refuse(&["serve", "--phone-language", "it"]);
    assert!(said.contains("nothing can be said in `it`"), "{said}");
}

#[tokio::test]
async fn espeak_says_the_name_of_an_institution_in_its_language() {
    let command = "espeak-ng --stdin --stdout -v {language}";
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/operations.md");
    assert!(std::fs::read_to_string(docs).unwrap().contains(command), "the handbook shows this one");
    let prompts = Prompts::open(None, "en", Some(command.to_owned())).unwrap();
    assert_eq!(prompts.check_voice().await, Ok(()));
    let mut greetings = Vec::new();
    for language in prompts.languages() {
        let script = prompts.script(Some(&language), "example", "Université d'Exemple").await;
        let greeting = script.greeting();
        let this_is = script.sound(Prompt::ThisIs);
        assert_eq!(greeting[..this_is.len()], this_is[..], "{language}");
        let name = &greeting[this_is.len()..];
        let seconds = name.len() as f64 / 8_000.0;
        assert!((1.0..4.0).contains(&seconds), "{language}: {seconds} s");
        // About as loud as the prompts around it.
        let power = |sound: &[i16]| {
            let heard = sound.iter().filter(|sample| sample.unsigned_abs() > 300);
            (heard.clone().map(|sample| f64::from(*sample).powi(2)).sum::<f64>() / heard.count() as f64)
                .sqrt()
        };
        let louder = 20.0 * (power(name) / power(&this_is)).log10();
        assert!(louder.abs() < 6.0, "{language}: {louder} dB");
        greetings.push(name.to_vec());
    }
    greetings.dedup();
    assert_eq!(greetings.len(), prompts.languages().len(), "each language has its own way of saying it");
}
