// Keys in the queue of moderation (templates/name_pages/moderation.html). A case takes the focus with Tab, and only the case that has
// it obeys keys, so that nothing happens while somebody types or presses a button.
const cases = [...document.querySelectorAll('[data-case]')];

const select = (one, hasFocus) => {
  cases.forEach((other) => (other.tabIndex = other === one ? 0 : -1));
  if (hasFocus) one.focus();
};

const press = (one, css) => one.querySelector(css)?.click();

const write = (one) => {
  const details = one.querySelector('details');
  if (!details) return;
  details.open = true;
  details.querySelector('textarea').focus();
};

const keys = {
  ArrowDown: (at) => select(cases[Math.min(at + 1, cases.length - 1)], true),
  ArrowUp: (at) => select(cases[Math.max(at - 1, 0)], true),
  Home: () => select(cases[0], true),
  End: () => select(cases[cases.length - 1], true),
  ' ': (at) => press(cases[at], '.play'),
  a: (at) => press(cases[at], '[data-key="a"]'),
  d: (at) => press(cases[at], '[data-key="d"]'),
  r: (at) => write(cases[at]),
};

cases.forEach((one, at) => {
  one.addEventListener('keydown', (event) => {
    const key = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    const isPlain = !(event.ctrlKey || event.altKey || event.metaKey);
    if (event.target !== one || !key || !isPlain) return;
    event.preventDefault();
    key(at);
  });
});
document.querySelector('[data-keys]')?.removeAttribute('hidden');
if (cases.length) select(cases[0], false);
