use std::{fs, path::Path, time::Duration};

use tempfile::TempDir;

use super::*;

/// A WAV with this many samples, which identifies it.
fn wav_of(samples: usize) -> Bytes {
    sound::wav(&vec![1_000; samples])
}

/// An operator's folder with these files, each with this many samples.
fn folder(files: &[(&str, usize)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (file, samples) in files {
        put(folder.path(), file, &wav_of(*samples));
    }
    folder
}

fn put(folder: &Path, file: &str, bytes: &[u8]) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn open(folder: &TempDir, language: &str) -> Result<Prompts, String> {
    Prompts::open(Some(folder.path().to_owned()), language, None)
}

fn speaking(voice: &str) -> Prompts {
    Prompts::open(None, "en", Some(voice.to_owned())).unwrap()
}

fn length(wav: Option<Bytes>) -> usize {
    (wav.expect("a WAV").len() - 44) / 2
}

#[tokio::test]
async fn without_anything_ours_are_said() {
    let prompts = Prompts::open(None, "en", None).unwrap();
    assert_eq!(prompts.languages(), ["de", "en", "es", "fr"]);
    assert!(prompts.about().is_empty());
    let script = prompts.script(None, "example", "Example University").await;
    for prompt in Prompt::ALL {
        assert_eq!(script.sound(prompt), shipped::sound("en", prompt).unwrap(), "{prompt:?}");
    }
    assert_eq!(script.greeting(), script.sound(Prompt::AnInstitution));
    let french = prompts.script(Some("fr"), "example", "Example University").await;
    assert_eq!(french.greeting(), shipped::sound("fr", Prompt::AnInstitution).unwrap());
    assert_eq!(prompts.check_voice().await, Ok(()));
}

#[tokio::test]
async fn an_operators_files_come_first() {
    let folder = folder(&[("en/invite.wav", 800), ("en/institutions/example.wav", 1_600)]);
    let prompts = open(&folder, "en").unwrap();
    let script = prompts.script(None, "example", "Example University").await;
    assert_eq!(script.sound(Prompt::Invite).len(), 800);
    assert_eq!(script.sound(Prompt::Review), shipped::sound("en", Prompt::Review).unwrap());
    let this_is = script.sound(Prompt::ThisIs).len();
    assert_eq!(script.greeting().len(), this_is + 1_600 + SHORT_PAUSE.len());
    let other = prompts.script(None, "other", "Other University").await;
    assert_eq!(other.greeting(), other.sound(Prompt::AnInstitution));
    assert_eq!(prompts.about(), ["in `en` your files are said for invite, and ours for the rest"]);
}

#[tokio::test]
async fn a_cloud_gets_the_same_as_wav() {
    let folder = folder(&[("fr/invite.wav", 800), ("fr/institutions/example.wav", 1_600)]);
    let prompts = open(&folder, "en").unwrap();
    let wav = prompts.wav(Some("fr"), "invite").unwrap();
    assert!(wav.starts_with(b"RIFF"));
    assert_eq!(length(Some(wav)), 800);
    assert_eq!(length(prompts.wav(Some("fr"), "institutions/example")), 1_600);
    assert_eq!(length(prompts.institution_wav(Some("fr"), "example", "Example").await), 1_600);
    assert_eq!(prompts.wav(None, "institutions/example"), None, "not in English");
    assert_eq!(prompts.institution_wav(None, "example", "Example").await, None);
    for prompt in Prompt::ALL {
        assert_eq!(
            prompts.wav(None, prompt.file()),
            Some(sound::wav(&shipped::sound("en", prompt).unwrap()))
        );
    }
}

#[test]
fn no_name_leads_out_of_the_folder() {
    let folder = folder(&[("prompts/en/invite.wav", 800), ("secret.wav", 80), ("en/secret.wav", 80)]);
    put(folder.path(), "prompts/en/institutions/example.wav", &wav_of(1_600));
    let prompts = Prompts::open(Some(folder.path().join("prompts")), "en", None).unwrap();
    for file in [
        "institutions/../../../secret",
        "institutions/..",
        "institutions/",
        "institutions/example/../example",
        "institutions//etc/passwd",
        "../../secret",
        "../invite",
        "invite.wav",
        "secret",
        "",
    ] {
        assert_eq!(prompts.wav(None, file), None, "{file}");
    }
    for language in ["..", "../en", "../../en", "en/../en", "/etc", "en\0", ""] {
        assert_eq!(length(prompts.wav(Some(language), "invite")), 800, "{language}: the installation's");
        assert!(
            folder::Folder::open(folder.path().join("prompts"))
                .unwrap()
                .institution(language, "example")
                .is_none()
        );
    }
}

#[tokio::test]
async fn a_language_of_a_country_is_that_language_where_it_has_nothing_of_its_own() {
    let folder =
        folder(&[("es-MX/invite.wav", 800), ("es/review.wav", 900), ("es/institutions/example.wav", 1_600)]);
    let prompts = open(&folder, "es-MX").unwrap();
    let script = prompts.script(None, "example", "Example").await;
    assert_eq!(script.sound(Prompt::Invite).len(), 800);
    assert_eq!(script.sound(Prompt::Review).len(), 900);
    assert_eq!(script.sound(Prompt::ThankYou), shipped::sound("es", Prompt::ThankYou).unwrap());
    assert!(prompts.wav(None, "institutions/example").is_some());
    assert_eq!(prompts.languages(), ["de", "en", "es", "es-MX", "fr"]);
    assert_eq!(
        prompts.about(),
        [
            "in `es` your files are said for review, and ours for the rest",
            "in `es-MX` your files are said for invite, and those of `es` for the rest",
        ]
    );
    let austrian = Prompts::open(None, "de-AT", None).unwrap().script(None, "example", "Example").await;
    assert_eq!(austrian.sound(Prompt::Invite), shipped::sound("de", Prompt::Invite).unwrap());
}

#[tokio::test]
async fn a_new_language_needs_every_file() {
    let folder = folder(&[("it/invite.wav", 800)]);
    let why = open(&folder, "en").unwrap_err();
    assert!(why.contains("`it` lacks this-is.wav, an-institution.wav, say-your-name.wav, tone.wav"), "{why}");
    assert!(!why.contains("invite.wav"), "{why}");
    for prompt in Prompt::ALL {
        put(folder.path(), &format!("it/{}.wav", prompt.file()), &wav_of(800));
    }
    let prompts = open(&folder, "it").unwrap();
    assert_eq!(prompts.languages(), ["de", "en", "es", "fr", "it"]);
    assert_eq!(prompts.about(), ["in `it` your files are said"]);
    assert_eq!(prompts.script(None, "example", "Example").await.sound(Prompt::Goodbye).len(), 800);
    // Removed while calls are in progress: another language is better than silence.
    fs::remove_file(folder.path().join("it/goodbye.wav")).unwrap();
    let english = shipped::sound("en", Prompt::Goodbye).unwrap();
    assert_eq!(prompts.script(Some("it"), "example", "Example").await.sound(Prompt::Goodbye), english);
}

#[tokio::test]
async fn a_language_that_is_not_there_is_refused_or_is_the_installations() {
    let why = Prompts::open(None, "it", None).unwrap_err();
    assert!(why.contains("in `it`: there is de, en, es, fr"), "{why}");
    assert!(Prompts::open(None, "Italian", None).unwrap_err().contains("like fr or es-MX, not `Italian`"));
    let prompts = Prompts::open(None, "de", None).unwrap();
    let script = prompts.script(Some("it"), "example", "Example").await;
    assert_eq!(script.sound(Prompt::Invite), shipped::sound("de", Prompt::Invite).unwrap());
}

#[test]
fn what_is_wrong_with_a_folder_is_said_with_the_name_of_the_file() {
    let missing = TempDir::new().unwrap().path().join("nowhere");
    assert!(Prompts::open(Some(missing), "en", None).unwrap_err().contains("nowhere cannot be read"));
    for (file, bytes, says) in [
        ("en/invite.wav", b"not sound".to_vec(), "en/invite.wav is not audio"),
        ("en/review.wav", wav_of(8_000)[..4_000].to_vec(), "en/review.wav is damaged"),
        ("en/institutions/example.wav", b"RIFF".to_vec(), "en/institutions/example.wav is not audio"),
        ("en/institutions/Not A Slug.wav", wav_of(80).to_vec(), "`Not A Slug` is not a valid slug"),
        (
            "en/invit.wav",
            wav_of(80).to_vec(),
            "en/invit.wav is never used: the known names are this-is.wav, ",
        ),
        ("de/thank-you.wav", wav_of(8_000 * 61).to_vec(), "de/thank-you.wav is longer than 60 seconds"),
    ] {
        let folder = TempDir::new().unwrap();
        put(folder.path(), file, &bytes);
        let why = open(&folder, "en").unwrap_err();
        assert!(why.contains(says), "{why}");
    }
    // Other files are ignored.
    let folder = folder(&[("en/invite.wav", 80), ("Old ones/invite.wav", 80)]);
    put(folder.path(), "README.txt", b"");
    put(folder.path(), "en/notes.txt", b"");
    put(folder.path(), "en/._invite.wav", b"");
    assert!(open(&folder, "en").is_ok());
}

#[tokio::test]
async fn a_file_is_read_again_when_it_has_changed() {
    let folder = folder(&[("en/invite.wav", 800)]);
    let prompts = open(&folder, "en").unwrap();
    let invite = async || prompts.script(None, "example", "Example").await.sound(Prompt::Invite);
    assert_eq!(invite().await.len(), 800);
    put(folder.path(), "en/invite.wav", &wav_of(900));
    assert_eq!(invite().await.len(), 900);
    put(folder.path(), "en/invite.wav", b"broken");
    let ours = shipped::sound("en", Prompt::Invite).unwrap();
    assert_eq!(invite().await, ours, "broken");
    put(folder.path(), "en/invite.wav", &wav_of(1_000));
    assert_eq!(invite().await.len(), 1_000);
    fs::remove_file(folder.path().join("en/invite.wav")).unwrap();
    assert_eq!(invite().await, ours, "gone");
    put(folder.path(), "en/institutions/example.wav", &wav_of(70));
    assert!(prompts.wav(None, "institutions/example").is_some(), "put there since");
}

/// A script as text-to-speech command. It logs each run.
struct Speaker {
    folder: TempDir,
}

impl Speaker {
    fn new(does: &str) -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("speech.wav"), wav_of(1_600)).unwrap();
        fs::write(
            folder.path().join("voice.sh"),
            format!("cd {}\necho \"$1 $(cat)\" >> runs\n{does}", folder.path().display()),
        )
        .unwrap();
        Self { folder }
    }

    fn command(&self) -> String {
        format!("bash {} {{language}}", self.folder.path().join("voice.sh").display())
    }

    fn runs(&self) -> String {
        fs::read_to_string(self.folder.path().join("runs")).unwrap_or_default()
    }
}

#[tokio::test]
async fn a_voice_says_names_that_have_no_file() {
    let speaker = Speaker::new("cat speech.wav; yes complaint | head -c 100000 >&2");
    let folder = folder(&[("en/institutions/example.wav", 70)]);
    let voice = Some(speaker.command());
    let prompts = Prompts::open(Some(folder.path().to_owned()), "en", voice).unwrap();
    let other = prompts.script(None, "other", "$(rm) \"Other\" University").await;
    assert_eq!(other.greeting().len(), other.sound(Prompt::ThisIs).len() + 1_600 + SHORT_PAUSE.len());
    assert_eq!(speaker.runs(), "en $(rm) \"Other\" University\n");
    // Concurrent requests share one run.
    let again = tokio::join!(
        prompts.institution_wav(Some("fr"), "other", "Autre"),
        prompts.institution_wav(Some("fr"), "other", "Autre"),
        prompts.institution_wav(Some("fr"), "other", "Autre"),
    );
    assert_eq!((length(again.0), length(again.1), length(again.2)), (1_600, 1_600, 1_600));
    assert_eq!(speaker.runs().lines().nth(1), Some("fr Autre"));
    assert_eq!(speaker.runs().lines().count(), 2);
    assert_eq!(length(prompts.institution_wav(None, "example", "Example").await), 70, "the file comes first");
    assert_eq!(prompts.wav(None, "institutions/other"), None, "no file");
    assert_eq!(prompts.check_voice().await, Ok(()));
}

#[tokio::test]
async fn a_voice_that_fails_is_not_waited_for_again() {
    let speaker = Speaker::new("echo no such voice >&2; exit 3");
    let prompts = speaking(&speaker.command());
    for _ in 0..3 {
        let script = prompts.script(None, "other", "Other University").await;
        assert_eq!(script.greeting(), script.sound(Prompt::AnInstitution));
    }
    assert_eq!(speaker.runs().lines().count(), 1);
    let why = prompts.check_voice().await.unwrap_err();
    assert_eq!(why, "the voice command `bash` failed with exit status: 3: no such voice");
}

#[tokio::test]
async fn what_is_wrong_with_a_voice_is_said() {
    let said = async |does: &str| {
        let speaker = Speaker::new(does);
        speaking(&speaker.command()).check_voice().await.unwrap_err()
    };
    assert_eq!(
        said("echo hello").await,
        "the voice command `bash` writes something that is not audio: a WAV is required"
    );
    assert!(
        said("head -c 1000 speech.wav").await.ends_with("writes something that is damaged, or was cut off")
    );
    assert!(said("head -c 21000000 /dev/zero").await.ends_with("writes more than 20 MiB"));
    let why = speaking("/no/such/program --stdin").check_voice().await.unwrap_err();
    assert!(why.starts_with("the voice command `/no/such/program` cannot be run: "), "{why}");
}

#[tokio::test]
async fn a_voice_that_takes_too_long_is_not_waited_for() {
    let voice = Voice::new("sleep 600").unwrap().with_timeout(Duration::from_millis(200));
    let why = voice.run("en", "Example").await.unwrap_err();
    assert_eq!(why, "the voice command `sleep` took longer than 0.2 seconds");
}

#[tokio::test]
async fn a_voice_that_nobody_waits_for_is_ended() {
    let speaker = Speaker::new("echo $$ > begun; mv begun pid; exec sleep 600");
    let prompts = speaking(&speaker.command());
    let run = tokio::spawn(async move { prompts.check_voice().await });
    let pid = within_a_minute(|| fs::read_to_string(speaker.folder.path().join("pid")).ok()).await;
    run.abort();
    let line = Path::new("/proc").join(pid.trim()).join("cmdline");
    // Empty for a zombie process.
    within_a_minute(|| fs::read(&line).unwrap_or_default().is_empty().then_some(())).await;
}

async fn within_a_minute<T>(look: impl Fn() -> Option<T>) -> T {
    let looking = async {
        loop {
            if let Some(found) = look() {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), looking).await.expect("it does not come to it")
}

#[test]
fn a_voice_of_blanks_is_none() {
    assert!(Voice::new("  ").is_none());
    assert!(Prompts::open(None, "en", Some(String::new())).is_ok());
}
