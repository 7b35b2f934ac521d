// The console (templates/layouts/console.html): the menu, the search, and progress bars. All of its pages work without this.
const { home } = document.body.dataset;

// On narrow screens the menu starts closed.
const menu = document.querySelector('.menu');
if (menu && matchMedia('(max-width: 48rem)').matches) menu.open = false;

// Ctrl K, or / outside of inputs, opens the search. What is typed is looked up after a moment; arrows choose, Enter goes there, and
// Escape closes. Without a choice, Enter leads to the page of the search.
const finder = document.querySelector('[data-finder]');
if (finder) {
  const [input, list, status] = ['input', '[role=listbox]', '[data-status]'].map((css) => finder.querySelector(css));
  let options = [];
  let chosen = -1;
  let asked = 0;
  let timer;

  const choose = (at) => {
    chosen = at;
    options.forEach((option, n) => option.setAttribute('aria-selected', n === at));
    if (at < 0) input.removeAttribute('aria-activedescendant');
    else {
      input.setAttribute('aria-activedescendant', options[at].id);
      options[at].scrollIntoView({ block: 'nearest' });
    }
  };

  const element = (name, className, text) => {
    const made = document.createElement(name);
    made.className = className;
    made.textContent = text;
    return made;
  };

  const show = (groups) => {
    options = [];
    list.replaceChildren(
      ...groups.map((group, at) => {
        const box = element('div', 'group', '');
        const title = element('span', 'title', group.title);
        title.id = `finder-group-${at}`;
        box.setAttribute('role', 'group');
        box.setAttribute('aria-labelledby', title.id);
        box.append(title);
        group.results.forEach((result) => {
          const option = element('a', 'option', '');
          option.id = `finder-option-${options.length}`;
          option.href = result.address;
          option.tabIndex = -1;
          option.setAttribute('role', 'option');
          option.setAttribute('aria-selected', 'false');
          option.append(element('bdi', 'name', result.title), element('bdi', 'hint', result.hint));
          options.push(option);
          box.append(option);
        });
        return box;
      }),
    );
    list.hidden = options.length === 0;
    input.setAttribute('aria-expanded', options.length > 0);
    status.textContent = options.length ? '' : finder.dataset.none;
    choose(-1);
  };

  const ask = async () => {
    const turn = ++asked;
    try {
      const address = `${home}/search?q=${encodeURIComponent(input.value)}`;
      const answer = await fetch(address, { headers: { Accept: 'application/json' } });
      const found = answer.ok ? await answer.json() : { groups: [] };
      // A later question has been answered, perhaps.
      if (turn === asked) show(found.groups);
    } catch {
      // The form still leads to the page.
    }
  };

  const open = () => {
    if (finder.open) return;
    finder.showModal();
    input.select();
    ask();
  };

  document.querySelector('[data-find]')?.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, textarea, select, [contenteditable]');
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey);
    const isK = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k';
    if (!isK && !(event.key === '/' && isPlain && !isTyping)) return;
    event.preventDefault();
    open();
  });
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 150);
  });
  input.addEventListener('keydown', (event) => {
    const last = options.length - 1;
    const to = {
      ArrowDown: chosen < last ? chosen + 1 : 0,
      ArrowUp: chosen > 0 ? chosen - 1 : last,
    }[event.key];
    if (to !== undefined && options.length) {
      event.preventDefault();
      choose(to);
    } else if (event.key === 'Enter' && chosen >= 0) {
      event.preventDefault();
      location.assign(options[chosen].href);
    }
  });
  // A click beside the dialog.
  finder.addEventListener('click', (event) => event.target === finder && finder.close());
}

// Progress: <progress data-job="ID"> and <span data-job-text="ID">. The server sends events; where a proxy holds them back, or the
// browser has no stream, the page asks every few seconds.
const bars = () => document.querySelectorAll('[data-job], [data-job-text]');
if (bars().length) {
  const active = new Set();
  let source;
  let polling;

  // What has ended has become something else on the page, unless somebody is typing there.
  const reload = () => {
    const isDirty = [...document.querySelectorAll('main :is(input, textarea)')].some(
      (input) => input.type !== 'hidden' && input.value !== input.defaultValue,
    );
    if (!isDirty) location.reload();
  };

  const update = ({ tasks }) => {
    let hasEnded = false;
    tasks.forEach((task) => {
      document.querySelectorAll(`[data-job="${task.id}"]`).forEach((bar) => {
        if (task.total === null) bar.removeAttribute('value');
        else {
          bar.max = Math.max(task.total, 1);
          bar.value = task.done;
        }
        if (task.is_over) {
          hasEnded ||= active.has(task.id);
          bar.max = 1;
          bar.value = 1;
        } else active.add(task.id);
      });
      document.querySelectorAll(`[data-job-text="${task.id}"]`).forEach((text) => {
        text.textContent = task.text;
      });
    });
    if (hasEnded) setTimeout(reload, 800);
  };

  const poll = async () => {
    try {
      const answer = await fetch(`${home}/progress`, { headers: { Accept: 'application/json' } });
      if (answer.ok) update(await answer.json());
      // Signed out, or another role.
      else if (answer.status < 500) clearInterval(polling);
    } catch {
      // The next one may arrive.
    }
  };

  const fall = () => {
    source?.close();
    if (polling) return;
    polling = setInterval(poll, 3000);
    poll();
  };

  const open = () => {
    source = new EventSource(`${home}/events`);
    const patience = setTimeout(fall, 5000);
    source.addEventListener('progress', (event) => {
      clearTimeout(patience);
      update(JSON.parse(event.data));
    });
    // The browser connects again by itself, unless the server has refused.
    source.addEventListener('error', () => source.readyState === EventSource.CLOSED && fall());
  };

  if ('EventSource' in window) {
    open();
    addEventListener('pagehide', () => source.close());
    // The browser's Back may show the page as it was left, with the closed stream.
    addEventListener('pageshow', (event) => event.persisted && !polling && open());
  } else fall();
}
