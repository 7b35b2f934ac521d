// Tells the server that somebody has opened their invitation, once they do something on the page: programs that scan mail open
// links and run scripts, but do not move a pointer. See templates/name_pages/invitation_link.html.

const form = document.getElementById('invitation');
const signs = ['pointermove', 'pointerdown', 'keydown', 'touchstart', 'wheel'];

function opened(event) {
  if (!event.isTrusted) return;
  signs.forEach((sign) => removeEventListener(sign, opened));
  const body = new URLSearchParams({ csrf: form.elements.csrf.value });
  // If it fails, sending the form tells it, too.
  fetch(form.dataset.opened, { method: 'POST', body, keepalive: true, headers: { accept: 'application/json' } }).catch(() => {});
}

signs.forEach((sign) => addEventListener(sign, opened, { passive: true }));
