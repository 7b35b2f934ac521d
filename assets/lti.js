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

// Not while somebody is anywhere in the page, ever less often, and not for ever: six minutes in all. The history's own note
// is what stays when a page is loaded again, and frames may have nothing else.
const looked = history.state?.looked ?? 0;
if (document.querySelector('[data-wait]') && looked < 20) {
  const pause = 2000 * 1.2 ** looked;
  const look = () => {
    if (document.activeElement && document.activeElement !== document.body) return setTimeout(look, pause);
    history.replaceState({ looked: looked + 1 }, '');
    location.reload();
  };
  setTimeout(look, pause);
}

// `autofocus` is not for frames of another site.
document.querySelector('[aria-invalid=true]')?.focus();

document.querySelector('form[data-at-once]')?.submit();

if (document.querySelector('[data-close]')) {
  (window.opener || window.parent).postMessage({ subject: 'org.imsglobal.lti.close' }, '*');
}
