// The listening page of a name page (templates/name_pages/people.html): the rest of a long list is fetched while somebody scrolls,
// arrow keys move between people and Space plays, "play all" plays one after the other, and the search answers while somebody
// types. Without this script, the page has links to its parts and a form. play.js has the play buttons. Posters and the print view use its
// button that prints.
const SEARCH_DELAY = 250;
const SETTLE_DELAY = 80;
const PAUSE_BETWEEN = 1000;

const form = document.querySelector('form[data-live]');
const said = document.querySelector('#said');
const playAll = document.querySelector('[data-play-all]');
let results = document.querySelector('#results');

const wait = (time) => new Promise((done) => setTimeout(done, time));
const rows = () => [...results.querySelectorAll('.people > li')];
const tell = (text) => (said.textContent = text);

// The rest of the list: a gap holds the place of people who are not there yet, so that nothing moves when they come.

const isNear = (gap) => {
  const { top, bottom } = gap.getBoundingClientRect();
  return bottom > -2 * innerHeight && top < 3 * innerHeight;
};

// Rows are laid out when they come near. Each gets its real height before: rows of people with a phonetic spelling are higher.
const measure = (list) => {
  list.classList.add('measured');
  const people = [...list.children];
  const heights = people.map((row) => getComputedStyle(row).blockSize);
  people.forEach((row, at) => (row.style.containIntrinsicBlockSize = `auto ${heights[at]}`));
  list.classList.remove('measured');
};

const isSeen = (row) => {
  const { top, bottom } = row.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
};

const fetched = new WeakMap();

const fill = async (gap) => {
  const answer = await fetch(gap.dataset.rows, { cache: 'no-store' });
  if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
  const part = document.createElement('ul');
  part.className = 'people listen';
  part.innerHTML = await answer.text();
  // A gap has an average height. What somebody reads below it stays where it is, also in browsers that do not see to that themselves.
  const read = rows().find(isSeen);
  const top = read?.getBoundingClientRect().top;
  gap.replaceWith(part);
  part.dispatchEvent(new Event('people:added', { bubbles: true }));
  measure(part);
  if (read) scrollBy({ top: read.getBoundingClientRect().top - top, behavior: 'instant' });
  return part;
};

// The list in place of a gap. If it cannot be fetched, the links to the parts of the list are shown again.
const load = (gap) => {
  if (!fetched.has(gap)) {
    const filled = fill(gap).catch(() => {
      fetched.delete(gap);
      results.querySelector('.pages')?.removeAttribute('hidden');
      return null;
    });
    fetched.set(gap, filled);
  }
  return fetched.get(gap);
};

const observer = new IntersectionObserver(
  (entries) =>
    entries.forEach(async ({ target, isIntersecting }) => {
      if (!isIntersecting) return;
      // Somebody who drags the scroll bar passes many gaps.
      await wait(SETTLE_DELAY);
      if (target.isConnected && isNear(target)) load(target);
    }),
  { rootMargin: '100% 0%' },
);

const reserve = () => {
  observer.disconnect();
  const first = results.querySelector('.people');
  if (first?.dataset.start !== '0') return;
  const count = first.children.length;
  const matching = Number(first.dataset.matching);
  if (!count || count >= matching) return;
  results.querySelector('.pages')?.setAttribute('hidden', '');
  measure(first);
  const height = first.getBoundingClientRect().height / count;
  let last = first;
  for (let start = count; start < matching; start += count) {
    const gap = document.createElement('div');
    gap.className = 'gap';
    gap.dataset.rows = `${first.dataset.rows}${start}`;
    gap.style.blockSize = `${height * Math.min(count, matching - start)}px`;
    last.after(gap);
    observer.observe(gap);
    last = gap;
  }
};

// Keys

const rowOf = (element) => element?.closest?.('#results .people > li') ?? null;

const beside = async (row, step) => {
  const next = step > 0 ? row.nextElementSibling : row.previousElementSibling;
  if (next) return next;
  const list = row.parentElement;
  let other = step > 0 ? list.nextElementSibling : list.previousElementSibling;
  if (other?.matches('.gap')) other = await load(other);
  if (!other?.matches('.people')) return null;
  return step > 0 ? other.firstElementChild : other.lastElementChild;
};

const atEnd = async (step) => {
  const all = results.querySelectorAll('.people, .gap');
  let list = all[step > 0 ? 0 : all.length - 1];
  if (list?.matches('.gap')) list = await load(list);
  return step > 0 ? list?.firstElementChild : list?.lastElementChild;
};

// One row is in the order of the Tab key.
const mark = (row) => {
  results.querySelectorAll('.people > li[tabindex="0"]').forEach((one) => one.setAttribute('tabindex', -1));
  row?.setAttribute('tabindex', 0);
};

const go = (row) => {
  if (!row) return;
  mark(row);
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: 'nearest' });
};

document.addEventListener('keydown', async (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const row = rowOf(event.target);
  if (!row) {
    if (event.key !== 'ArrowDown' || event.target !== form?.elements.q) return;
    event.preventDefault();
    return go(rows()[0]);
  }
  if (event.key === ' ' && event.target === row) {
    event.preventDefault();
    return row.querySelector('.play')?.click();
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const end = { Home: 1, End: -1 }[event.key];
  if (!step && !end) return;
  event.preventDefault();
  go(await (step ? beside(row, step) : atEnd(end)));
});

document.addEventListener('focusin', (event) => {
  const row = rowOf(event.target);
  if (row) mark(row);
});

// Playing all, beginning with the row that has the focus, or had it last.

let tour = null;

const stop = () => {
  const { sound } = tour ?? {};
  tour = null;
  sound?.pause();
  results.querySelectorAll('[aria-current=true]').forEach((row) => row.removeAttribute('aria-current'));
  playAll.textContent = playAll.dataset.play;
};

// Resolves when a recording has ended or cannot be played. Somebody who pauses it, or plays another one, ends the tour.
const hear = (own, sound) =>
  new Promise((done) => {
    own.sound = sound;
    const names = ['ended', 'error', 'pause'];
    const end = (event) => {
      if (event?.type === 'pause' && sound.ended) return;
      names.forEach((name) => sound.removeEventListener(name, end));
      if (event?.type === 'pause' && !sound.error && tour === own) stop();
      done();
    };
    names.forEach((name) => sound.addEventListener(name, end));
    sound.currentTime = 0;
    sound.play().catch(() => end());
  });

const start = async () => {
  const own = {};
  tour = own;
  playAll.textContent = playAll.dataset.stop;
  let row = results.querySelector('.people > li[tabindex="0"]') ?? rows()[0];
  while (row && tour === own) {
    const sound = row.querySelector('audio');
    if (sound) {
      row.setAttribute('aria-current', 'true');
      row.scrollIntoView({ block: 'nearest' });
      await hear(own, sound);
      row.removeAttribute('aria-current');
      if (tour === own) await wait(PAUSE_BETWEEN);
    }
    if (tour === own) row = await beside(row, 1);
  }
  if (tour === own) stop();
};

playAll?.addEventListener('click', () => (tour ? stop() : start()));

// Searching while somebody types. The address says what is shown, so that it can be passed on.

let timer;
let request;

const search = async () => {
  clearTimeout(timer);
  request?.abort();
  request = new AbortController();
  const { signal } = request;
  const wanted = new URLSearchParams(new FormData(form));
  if (!wanted.get('q').trim()) wanted.delete('q');
  const query = wanted.toString();
  const address = query ? `${form.action}?${query}` : form.action;
  const answer = await fetch(address, { signal, cache: 'no-store' }).catch(() => null);
  if (signal.aborted) return;
  // The session is over, or the server cannot answer: the browser shows what it says.
  if (!answer?.ok || answer.redirected) return form.submit();
  const text = await answer.text().catch(() => '');
  const found = new DOMParser().parseFromString(text, 'text/html').querySelector('#results');
  if (signal.aborted || !found) return;
  if (tour) stop();
  results.replaceWith(found);
  results = found;
  history.replaceState(null, '', address);
  prepare();
  tell(results.querySelector('.found, .none')?.textContent.trim() ?? '');
};

form?.elements.q.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(search, SEARCH_DELAY);
});
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  search();
});

// Asking for a recording

document.addEventListener('submit', async (event) => {
  const asking = event.target;
  if (!asking.matches('form[data-ask]')) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(asking));
  const headers = { accept: 'application/json' };
  const answer = await fetch(asking.action, { method: 'POST', body, headers }).catch(() => null);
  const { message } = (await answer?.json().catch(() => null)) ?? {};
  if (!message) return asking.submit();
  const answered = document.createElement('p');
  answered.className = 'silent';
  answered.textContent = message;
  const row = rowOf(asking);
  asking.replaceWith(answered);
  tell(message);
  go(row);
});

document.querySelectorAll('[data-print]').forEach((button) => {
  button.hidden = false;
  button.addEventListener('click', () => print());
});

const prepare = () => {
  results.dispatchEvent(new Event('people:added', { bubbles: true }));
  mark(rows()[0]);
  reserve();
  if (playAll) playAll.hidden = !rows().length;
};

if (results) {
  mark(rows()[0]);
  reserve();
  if (playAll) playAll.hidden = !rows().length;
}
