//! The recorder of our pages (`templates/parts/recorder.html`), as a person uses it.

use std::time::Duration;

use super::Browser;
use crate::support::speech::Clip;

/// What the players of the page say of themselves, as an expression.
const PLAYERS: &str = "[...document.querySelectorAll('audio')].map((each) => \
    [each.currentSrc, each.paused, each.currentTime, each.readyState, each.networkState, each.error?.message].join())";
/// The recorder's element, as an expression.
const RECORDER: &str = "document.querySelector('[data-recorder]')";

impl Browser {
    pub async fn recorder_state(&self) -> String {
        let state = self.value(&format!("{RECORDER}?.dataset.state ?? null")).await;
        state.as_str().unwrap_or_default().to_owned()
    }

    pub async fn until_recorder_is(&self, state: &str) {
        self.until(&format!("{RECORDER}?.dataset.state === '{state}'")).await;
    }

    /// Waits until the recorder accepts a stop: it ignores those of double clicks.
    pub async fn until_it_can_be_stopped(&self) {
        self.until_recorder_is("recording").await;
        let left = format!("{RECORDER}.style.getPropertyValue('--left')");
        self.until(&format!("(1 - {left}) * {RECORDER}.dataset.limit > 0.4")).await;
    }

    /// Waits for a sentence among those that the recorder announces.
    pub async fn until_recorder_says(&self, sentence: &str) {
        self.until(&format!("{RECORDER}?.querySelector('[role=status]').textContent.includes('{sentence}')"))
            .await;
    }

    /// Says a name while the recorder records, and stops it.
    pub async fn say_into_recorder(&self, clip: &Clip) {
        self.until_recorder_is("recording").await;
        let meter = format!("{RECORDER}.style.getPropertyValue('--level') > 0.2");
        tokio::join!(self.say(&clip.file), self.until(&meter));
        self.click_button("Stop").await;
        self.until_recorder_is("take").await;
    }

    /// Presses "Play" and waits until some of the recording was played. An observer sees what polling misses on a busy machine.
    /// Presses again, as a person would, when nothing is heard: WebKitGTK's player stalls at times on a busy machine. These clicks do
    /// not count: nobody has to listen.
    pub async fn listen(&self) {
        let clicks = self.clicks();
        let observer = "new MutationObserver(([{ target }]) => { \
            const played = target.style.getPropertyValue('--played'); window.isHeard ||= played > 0 && played < 1 })";
        let wave = "document.querySelector('.rec-wave')";
        self.value(&format!(
            "void (window.isHeard = false, {observer}.observe({wave}, {{ attributes: true }}))"
        ))
        .await;
        for _ in 0..3 {
            self.click_button("Play").await;
            if self.comes_true("window.isHeard", Duration::from_secs(20)).await.is_ok() {
                return self.set_clicks(clicks);
            }
            println!("nothing was heard: {}", self.value(PLAYERS).await);
        }
        panic!("the recording was never heard");
    }

    /// Does the page ask before it is left? WebDriver would answer the browser's own question.
    pub async fn asks_before_leaving(&self) -> bool {
        self.value("!dispatchEvent(new Event('beforeunload', { cancelable: true }))").await == true
    }
}
