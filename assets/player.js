// Plays the name and stops all other players: our own through a BroadcastChannel or, where a sandbox blocks that,
// through messages; snippets in the surrounding page through the same messages.
const button = document.querySelector('button');
const sound = document.querySelector('audio');
const word = 'endonym:play';
const channel = 'BroadcastChannel' in window ? new BroadcastChannel('endonym') : null;

const show = () => {
  const on = !(sound.paused || sound.ended || sound.error);
  const { label, fault } = button.dataset;
  button.setAttribute('aria-pressed', on);
  button.setAttribute('aria-label', sound.error ? fault : label);
  button.title = sound.error ? fault : '';
  button.classList.toggle('fault', Boolean(sound.error));
};

const heard = (event) => {
  if (event.data === word && event.source !== window) sound.pause();
};

button.addEventListener('click', () => {
  if (!sound.paused && !sound.ended) return sound.pause();
  if (sound.error) sound.load();
  sound.play().catch(() => {});
});
sound.addEventListener('play', () => {
  channel?.postMessage(word);
  if (parent !== window) {
    parent.postMessage(word, '*');
    for (let n = 0; n < parent.length; n++) if (parent[n] !== window) parent[n].postMessage(word, '*');
  }
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

// If the image fails to load, shows a symbol instead.
const picture = document.querySelector('img');
const replace = () => picture.replaceWith(picture.alt);
if (picture?.complete && !picture.naturalWidth) replace();
else picture?.addEventListener('error', replace);

addEventListener('message', heard);
channel?.addEventListener('message', heard);
