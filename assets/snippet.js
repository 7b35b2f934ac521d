// The click of a snippet in somebody else's page, run as an event handler: every line is joined to the next, so each
// statement ends in a semicolon, and there are no double quotes. `this` is the button; the picture is its first child,
// the sound its last. Sounds of other snippets are found by a name on the window, those of our iframes by messages.
var b = this, i = b.firstElementChild, a = b.lastElementChild, w = window, s = w.endonymSound;
var show = function (on) {
  var c = i.children, fault = a.error ? ' (it cannot be played just now)' : '';
  b.setAttribute('aria-pressed', on);
  b.setAttribute('aria-label', b.dataset.label + fault);
  b.title = fault ? b.dataset.label + fault : '';
  i.style.outlineStyle = on ? 'solid' : 'none';
  i.style.opacity = fault ? 0.5 : '';
  if (c[1]) {
    c[0].style.display = on ? 'none' : '';
    c[1].style.display = on ? '' : 'none';
  }
};
if (!s) {
  s = w.endonymSound = {};
  w.addEventListener('message', function (e) {
    if (e.data === 'endonym:play' && s.now) s.now.pause();
  });
}
a.onplay = function () {
  if (s.now && s.now !== a) s.now.pause();
  s.now = a;
  for (var n = 0; n < w.length; n++) w[n].postMessage('endonym:play', '*');
  show(true);
};
a.onpause = a.onended = function () {
  if (!a.ended) a.currentTime = 0;
  show(false);
};
a.onerror = function () {
  a.pause();
  show(false);
};
if (a.paused || a.ended) {
  if (a.error) a.load();
  a.play().catch(function () {});
} else {
  a.pause();
}
