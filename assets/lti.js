// Pages inside a learning management system: plays one name at a time, moves between names with the arrow keys,
// reloads a list when its synchronization has finished, and returns results to the platform.
const word = 'endonym:play';
const channel = 'BroadcastChannel' in window ? new BroadcastChannel('endonym') : null;
let sounds = [...document.querySelectorAll('audio')];
const stopAllBut = (one) => sounds.forEach((sound) => sound === one || sound.pause());
let buttons = [];

const enhance = (sound) => {
  const [button, fault] = ['.play', '.fault'].map((what) => sound.parentElement.querySelector(what));
  const isOn = () => !(sound.paused || sound.ended || sound.error);
  const show = () => {
    button.setAttribute('aria-pressed', isOn());
    fault.textContent = sound.error ? fault.dataset.fault : '';
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
// The recorder has replaced the part of the page that plays the recording.
document.addEventListener('recorder:renewed', (event) => {
  const added = [...event.target.querySelectorAll('audio')];
  buttons = buttons.filter((button) => button.isConnected);
  sounds = [...sounds.filter((sound) => sound.isConnected), ...added];
  added.forEach(enhance);
});
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

// While a course is being synchronized: polls with increasing intervals for 15 minutes, then reloads the page. If the
// user is interacting with the page, shows a link instead.
const waiting = document.querySelector('[data-wait]');
if (waiting) {
  const isBusy = () => document.activeElement !== document.body || sounds.some((sound) => !sound.paused);
  const tell = () => {
    const [said, again] = ['.sync', '.again a'].map((what) => waiting.querySelector(what));
    said.textContent = waiting.dataset.ended;
    again.textContent = waiting.dataset.again;
  };
  const ask = async (pause, left) => {
    const answer = await fetch(waiting.dataset.wait, { cache: 'no-store' }).catch(() => null);
    if (answer?.ok && !(await answer.json()).running) return isBusy() ? tell() : location.reload();
    // An expired session (403) is final; retry on anything else.
    if (answer?.status !== 403 && left > 0) setTimeout(ask, pause, Math.min(pause * 1.3, 30000), left - pause);
  };
  setTimeout(ask, 1000, 1500, 15 * 60 * 1000);
}

// `autofocus` does not work in cross-site frames.
document.querySelector('[aria-invalid=true]')?.focus();

document.querySelector('form[data-at-once]')?.submit();

if (document.querySelector('[data-close]')) {
  (window.opener || window.parent).postMessage({ subject: 'org.imsglobal.lti.close' }, '*');
}
