// Pages inside a learning system: names are played one at a time, the arrow keys go from one to the next, a list that is
// being fetched comes by itself, and what is done goes back to the platform.
const word = 'endonym:play';
const channel = 'BroadcastChannel' in window ? new BroadcastChannel('endonym') : null;
const sounds = [...document.querySelectorAll('audio')];
const stopAllBut = (one) => sounds.forEach((sound) => sound === one || sound.pause());
const buttons = [];

const enhance = (sound) => {
  const [button, fault] = ['.play', '.fault'].map((what) => sound.parentElement.querySelector(what));
  const isOn = () => !(sound.paused || sound.ended || sound.error);
  const show = () => {
    button.setAttribute('aria-pressed', isOn());
    fault.textContent = sound.error ? 'It cannot be played just now.' : '';
  };
  button.addEventListener('click', () => {
    if (isOn()) return sound.pause();
    if (sound.error) sound.load();
    sound.play().catch(() => {});
  });
  sound.addEventListener('play', () => {
    stopAllBut(sound);
    channel?.postMessage(word);
    show();
  });
  sound.addEventListener('pause', () => {
    if (!sound.ended) sound.currentTime = 0;
    show();
  });
  sound.addEventListener('ended', show);
  sound.addEventListener('error', () => {
    sound.pause();
    show();
  });
  sound.hidden = true;
  button.hidden = false;
  buttons.push(button);
};

sounds.forEach(enhance);
channel?.addEventListener('message', (event) => event.data === word && stopAllBut());

document.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const at = buttons.indexOf(document.activeElement);
  const next = step && at >= 0 ? buttons[at + step] : null;
  if (next) {
    event.preventDefault();
    next.focus();
  }
});

// A course that is being synchronized: asked ever less often whether that has ended, for a quarter of an hour. Then the page comes
// anew, unless somebody is at work in it, who gets a link instead.
const waiting = document.querySelector('[data-wait]');
if (waiting) {
  const isBusy = () => document.activeElement !== document.body || sounds.some((sound) => !sound.paused);
  const tell = () => {
    const [said, again] = ['.sync', '.again a'].map((what) => waiting.querySelector(what));
    said.textContent = 'The synchronization has ended.';
    again.textContent = 'Show the new list';
  };
  const ask = async (pause, left) => {
    const answer = await fetch(waiting.dataset.wait, { cache: 'no-store' }).catch(() => null);
    if (answer?.ok && !(await answer.json()).running) return isBusy() ? tell() : location.reload();
    // A session that is over will not come back; anything else may.
    if (answer?.status !== 403 && left > 0) setTimeout(ask, pause, Math.min(pause * 1.3, 30000), left - pause);
  };
  setTimeout(ask, 1000, 1500, 15 * 60 * 1000);
}

// `autofocus` is not for frames of another site.
document.querySelector('[aria-invalid=true]')?.focus();

document.querySelector('form[data-at-once]')?.submit();

if (document.querySelector('[data-close]')) {
  (window.opener || window.parent).postMessage({ subject: 'org.imsglobal.lti.close' }, '*');
}
