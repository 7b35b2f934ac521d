// The play buttons of all pages (templates/parts/sound.html, templates/player.html). One recording is heard at a time: on this
// page, and in all other pages and players of the site in this browser.
//
// In a `data-sound` element, the button replaces the browser's own player. `data-fault` is the sentence for a recording that
// cannot be played; it is shown in `.fault` or, in a player, as the label of the button.
const PLAY = 'endonym:play';
const channel = 'BroadcastChannel' in window ? new BroadcastChannel('endonym') : null;
// A player in a page of another site also exchanges messages with that page and its frames: a sandbox blocks the channel.
const isEmbedded = Boolean(document.querySelector('[data-embedded]')) && parent !== window;
let sounds = [];

const pauseAllBut = (one) => sounds.forEach((sound) => sound === one || sound.pause());

const announce = () => {
  channel?.postMessage(PLAY);
  if (!isEmbedded) return;
  parent.postMessage(PLAY, '*');
  for (let n = 0; n < parent.length; n++) if (parent[n] !== window) parent[n].postMessage(PLAY, '*');
};

const enhance = (box) => {
  const [button, sound, fault, played, picture] = ['button', 'audio', '.fault', 'clipPath rect', 'button img'].map((css) =>
    box.querySelector(css),
  );
  const label = button.getAttribute('aria-label');
  const isOn = () => !(sound.paused || sound.ended || sound.error);
  const show = () => {
    const text = sound.error ? box.dataset.fault : '';
    button.setAttribute('aria-pressed', isOn());
    played?.setAttribute('width', isOn() && sound.duration ? (256 * sound.currentTime) / sound.duration : 0);
    if (fault) {
      fault.textContent = text;
      return;
    }
    button.setAttribute('aria-label', text || label);
    button.title = text;
    button.classList.toggle('fault', Boolean(text));
  };
  const follow = () => {
    show();
    if (played && isOn()) requestAnimationFrame(follow);
  };
  button.addEventListener('click', () => {
    if (isOn()) return sound.pause();
    if (sound.error) sound.load();
    sound.play().catch(() => {});
  });
  sound.addEventListener('play', () => {
    pauseAllBut(sound);
    announce();
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
  // If the picture on the button fails to load, shows a symbol instead.
  const replace = () => picture.replaceWith(picture.alt);
  if (picture?.complete && !picture.naturalWidth) replace();
  else picture?.addEventListener('error', replace);
  sound.controls = false;
  sound.hidden = true;
  button.hidden = false;
  sounds.push(sound);
};

const enhanceAll = (place) => place.querySelectorAll('[data-sound]').forEach(enhance);

enhanceAll(document);
// The recorder has replaced the part of the page that plays the recording, or a list has got more people.
['recorder:renewed', 'people:added'].forEach((name) =>
  document.addEventListener(name, (event) => {
    sounds = sounds.filter((sound) => sound.isConnected);
    enhanceAll(event.target);
  }),
);

const hear = (event) => {
  if (event.data === PLAY && event.source !== window) pauseAllBut();
};
channel?.addEventListener('message', hear);
if (isEmbedded) addEventListener('message', hear);
