// Replaces the plain audio elements of the badge with large buttons that show the waveform, and plays one recording
// at a time: on this page and in our players elsewhere in the browser.
const word = 'endonym:play';
const channel = 'BroadcastChannel' in window ? new BroadcastChannel('endonym') : null;
const sounds = [...document.querySelectorAll('audio')];
const stopAllBut = (one) => sounds.forEach((sound) => sound === one || sound.pause());

const enhance = (sound) => {
  const box = sound.parentElement;
  const [button, played, fault] = ['.play', 'clipPath rect', '.fault'].map((what) => box.querySelector(what));
  const isOn = () => !(sound.paused || sound.ended || sound.error);
  const show = () => {
    const on = isOn();
    button.setAttribute('aria-pressed', on);
    played.setAttribute('width', on && sound.duration ? (256 * sound.currentTime) / sound.duration : 0);
    fault.textContent = sound.error ? fault.dataset.fault : '';
  };
  const follow = () => {
    show();
    if (isOn()) requestAnimationFrame(follow);
  };
  button.addEventListener('click', () => {
    if (isOn()) return sound.pause();
    if (sound.error) sound.load();
    sound.play().catch(() => {});
  });
  sound.addEventListener('play', () => {
    stopAllBut(sound);
    channel?.postMessage(word);
    follow();
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
  sound.controls = false;
  button.hidden = false;
};

sounds.forEach(enhance);
channel?.addEventListener('message', (event) => event.data === word && stopAllBut());

const copy = document.querySelector('.copy');
if (navigator.clipboard) {
  const text = copy.textContent;
  copy.hidden = false;
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(copy.dataset.address);
    copy.textContent = copy.dataset.copied;
    setTimeout(() => { copy.textContent = text; }, 2000);
  });
}
