// Pages inside a learning management system: moves between names with the arrow keys, reloads a list when its
// synchronization has finished, and returns results to the platform.
document.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const buttons = [...document.querySelectorAll('.play:not([hidden])')];
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
  const isPlaying = () => [...document.querySelectorAll('audio')].some((sound) => !sound.paused);
  const isBusy = () => document.activeElement !== document.body || isPlaying();
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
