// Records a name in the page: enhances the markup of templates/parts/recorder.html, which also holds every sentence.
// Nothing leaves the browser before the person presses "Use this recording". Decisions and figures: docs/recording.md.

// What is wrong with a take, the most important first: silent, short, cut, clipped, quiet, noisy. These are hints; the
// server decides. Levels are in dBFS, in frames of 10 ms; `voice` is reached for a tenth of a second in total, as in
// the server's voice detection. Tuned on speech: docs/recording.md has the figures.
export function judge(samples, rate) {
  const step = Math.max(1, Math.round(rate / 100));
  const levels = [];
  let peak = 0;
  let [run, overs] = [0, 0];
  for (let from = 0; from < samples.length; from += step) {
    const to = Math.min(from + step, samples.length);
    let power = 0;
    for (let i = from; i < to; i++) {
      const size = Math.abs(samples[i]);
      power += size * size;
      peak = Math.max(peak, size);
      run = size >= 0.985 ? run + 1 : 0;
      if (run === 3) overs++;
    }
    levels.push(10 * Math.log10(Math.max(power / (to - from), 1e-12)));
  }
  const sorted = [...levels].sort((a, b) => a - b);
  const voice = sorted[sorted.length - 1 - Math.min(sorted.length >> 1, 10)] ?? -120;
  // Digital silence is padding, not noise.
  const real = sorted.filter((level) => level > -95);
  const noise = Math.min(real[Math.floor(real.length / 10)] ?? -120, voice);
  const above = Math.max(voice - 30, Math.min(noise + 8, voice - 6));
  const seconds = levels.filter((level) => level > above).length / 100;
  // The median, so that a click at the beginning is not a voice.
  const start = levels.slice(0, 5).sort((a, b) => a - b)[2] ?? -120;
  const finds = {
    silent: peak <= 0.00316 || voice < -60 || voice - noise < 3,
    short: seconds < 0.3,
    cut: start > voice - 28 && start > noise + 12,
    clipped: overs >= 3,
    quiet: voice < -42,
    noisy: voice - noise < 18,
  };
  const faults = Object.keys(finds).filter((name) => finds[name]);
  return { faults: finds.silent ? ['silent'] : faults, peak, voice, noise, start, seconds, overs };
}

const BARS = 48;
const TAIL = 200; // Milliseconds recorded after Stop: people press it while they finish speaking.
const isWebKit = globalThis.navigator?.vendor?.startsWith('Apple');
const LEAD = isWebKit ? 1000 : 600; // Recorded before "Recording" is shown: Safari loses the first half second.
const channel = globalThis.document && 'BroadcastChannel' in globalThis ? new BroadcastChannel('endonym') : null;
const PLAY = 'endonym:play'; // Stops every other sound of the site.
const KEPT = 'endonym:kept'; // Another tab has saved a recording.
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

const memory = {
  get: () => { try { return localStorage.getItem('endonym-countdown') === '1'; } catch { return false; } },
  set: (on) => { try { localStorage.setItem('endonym-countdown', on ? '1' : '0'); } catch { /* private mode */ } },
};

// The heights of the bars of a waveform, 0 to 1.
function bars(samples) {
  const size = samples.length / BARS;
  return Array.from({ length: BARS }, (_, i) => {
    let most = 0;
    const end = Math.floor((i + 1) * size);
    for (let at = Math.floor(i * size); at < end; at++) most = Math.max(most, Math.abs(samples[at]));
    return most;
  });
}

const outline = (heights) =>
  heights.map((height, i) => {
    const tall = Math.max(0.01, Math.min(1, height) * 21);
    return `M${i * 2 + 1} ${(12 - tall / 2).toFixed(2)}v${tall.toFixed(2)}`;
  }).join('');

async function decode(blob) {
  const sound = await new OfflineAudioContext(1, 1, 48000).decodeAudioData(await blob.arrayBuffer());
  const mono = sound.getChannelData(0).slice();
  for (let other = 1; other < sound.numberOfChannels; other++) {
    sound.getChannelData(other).forEach((sample, i) => { mono[i] += sample; });
  }
  for (let i = 0; i < mono.length; i++) mono[i] /= sound.numberOfChannels;
  return { mono, rate: sound.sampleRate };
}

// Which of our sentences explains an error of `getUserMedia`.
function reason(error) {
  const framed = window !== window.top;
  switch (error.name) {
    case 'NotAllowedError': return framed && policy() !== true ? 'framed' : 'denied';
    case 'SecurityError': return framed ? 'framed' : 'denied';
    case 'NotFoundError':
    case 'OverconstrainedError': return 'none-found';
    case 'NotReadableError':
    case 'AbortError': return 'in-use';
    default: return 'unsupported';
  }
}

// Whether the page may use the microphone at all; undefined where the browser does not say.
const policy = () => (document.permissionsPolicy ?? document.featurePolicy)?.allowsFeature?.('microphone');

const session = (type) => { if (navigator.audioSession) navigator.audioSession.type = type; };

// The types to record in, the best first. Safari claims WebM, but other software fails to play it. WebKitGTK does not know the
// rate of some microphones, and as AAC it then records nothing.
function types(track) {
  const all = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4'];
  if (!isWebKit) return all;
  return [track.getSettings().sampleRate === 0 ? 'audio/mp4;codecs=opus' : 'audio/mp4', ...all];
}
const useless = new Set(); // Types that this browser claims, and in which it recorded nothing.

// An open microphone that records. `lost` is called when the system takes the microphone away.
async function open(constraints, lost) {
  session('play-and-record');
  const stream = await navigator.mediaDevices.getUserMedia({ audio: constraints });
  const [track] = stream.getAudioTracks();
  let context = null;
  let analyser = null;
  // Made after the microphone is open: Bluetooth headsets change their rate then. Without it there is no meter.
  try {
    context = new AudioContext();
    analyser = context.createAnalyser();
    context.createMediaStreamSource(stream).connect(analyser);
    context.resume().catch(() => {});
  } catch { analyser = null; }
  const frame = analyser && new Float32Array(analyser.fftSize);
  const close = () => {
    stream.getTracks().forEach((each) => each.stop());
    context?.close().catch(() => {});
    session('playback');
  };
  const type = types(track).find((each) => !useless.has(each) && MediaRecorder.isTypeSupported(each));
  let recorder;
  try { recorder = new MediaRecorder(stream, type ? { mimeType: type } : {}); } catch (error) { close(); throw error; }
  const pieces = [];
  recorder.addEventListener('dataavailable', (event) => event.data.size && pieces.push(event.data));
  const ended = new Promise((done) => { recorder.addEventListener('stop', done); });
  ['mute', 'ended'].forEach((event) => track.addEventListener(event, lost));
  recorder.addEventListener('error', lost);
  return {
    start: () => recorder.start(),
    level() {
      if (!analyser) return null;
      analyser.getFloatTimeDomainData(frame);
      return Math.sqrt(frame.reduce((sum, each) => sum + each * each, 0) / frame.length);
    },
    async finish() {
      // Ids of devices stay here: they identify people.
      const { deviceId, groupId, ...settings } = track.getSettings();
      if (recorder.state !== 'inactive') recorder.stop();
      await ended;
      close();
      const mimeType = recorder.mimeType || type || '';
      const blob = new Blob(pieces, { type: mimeType });
      if (!blob.size) useless.add(type);
      return { blob, capture: { mimeType, settings } };
    },
    drop() {
      ['mute', 'ended'].forEach((event) => track.removeEventListener(event, lost));
      if (recorder.state !== 'inactive') recorder.stop();
      close();
    },
  };
}

function enhance(root) {
  const find = (what) => root.querySelector(what);
  const button = (name) => find(`[data-do="${name}"]`);
  const form = find('form');
  const file = find('input[type=file]');
  const limit = Number(root.dataset.limit) || 10;
  const language = root.closest('[lang]')?.lang || 'en';
  const isStill = matchMedia('(prefers-reduced-motion: reduce)');
  const texts = find('template').content;
  const sound = new Audio();
  let state = 'off';
  let turn = 0; // Counts what was begun; whatever belongs to an older turn is dropped.
  let microphone = null;
  let take = null;
  let request = null;
  let polling = 0;
  let problem = null; // The sentence about the microphone that is shown.
  let isBlocked = false; // There can be no microphone on this page.
  let better = {}; // Constraints of the next recording, after a take that was too quiet or too noisy.
  let isStale = false; // The session ended: the CSRF token must be read anew.

  // Values are isolated: the name of a file may run in another direction than the sentence.
  const text = (id, value) =>
    (texts.querySelector(`[data-id="${id}"]`)?.textContent ?? '').replace('%s', () => `\u2068${value}\u2069`);
  const seconds = (value) => {
    const shown = value < 9.5 ? Math.max(0.1, Math.round(value * 10) / 10) : Math.round(value);
    try {
      return new Intl.NumberFormat(language, { style: 'unit', unit: 'second', unitDisplay: 'long' }).format(shown);
    } catch { return `${shown} s`; }
  };
  const say = (sentence, warning = '') => {
    for (const [where, what] of [['.rec-say', sentence], ['.rec-warn', warning]]) {
      if (find(where).textContent !== what) find(where).textContent = what;
    }
  };
  // Focus follows the next step, unless the person is busy elsewhere on the page.
  const focus = (element) => {
    const at = document.activeElement;
    if (!at || at === document.body || root.contains(at)) element?.focus();
  };
  const leaving = (event) => { event.preventDefault(); event.returnValue = ''; };

  function show(next) {
    state = next;
    root.dataset.state = next;
    root.querySelectorAll('[data-in]').forEach((each) => {
      each.toggleAttribute('hidden', !each.dataset.in.split(' ').includes(next));
    });
    ['record', 'keep'].forEach((name) => {
      button(name).setAttribute('aria-disabled', next === 'asking' || next === 'sending');
    });
    // A file can be replaced by another; without a microphone there is nothing to record again.
    if (take?.name && ['take', 'failed', 'kept'].includes(next)) find('.rec-others').hidden = false;
    if (isBlocked) button('again').hidden = true;
    if (next !== 'ready' && next !== 'asking' && next !== 'blocked') disclose(null);
    const isUnsaved = (take && !take.isKept) || next === 'recording' || next === 'sending';
    if (isUnsaved) addEventListener('beforeunload', leaving);
    else removeEventListener('beforeunload', leaving);
  }

  const draw = (heights, played = 1) => {
    root.querySelectorAll('.rec-wave path').forEach((path) => path.setAttribute('d', outline(heights)));
    find('.rec-wave').style.setProperty('--played', played);
  };

  // Shows the take, or the beginning if there is none.
  function home(warning) {
    quiet();
    if (!take) {
      show(isBlocked ? 'blocked' : 'ready');
      const shown = warning ?? (problem ? text(problem) : '');
      say(shown ? '' : text('ready'), shown);
      return;
    }
    draw(take.heights);
    show(take.isKept ? 'kept' : 'take');
    const length = take.seconds ? seconds(take.seconds) : take.name;
    const sentence = take.isKept ? text('kept') : text(take.capture ? 'take' : 'chosen', length);
    say(sentence, warning ?? (take.fault ? text(take.fault) : ''));
  }

  const quiet = () => sound.pause();

  function trouble(id) {
    problem = id;
    root.toggleAttribute('data-problem', true);
    home(text(id));
  }

  // Recording

  async function record() {
    if (state === 'asking' || state === 'recording' || state === 'countdown') return;
    const mine = ++turn;
    quiet();
    channel?.postMessage(PLAY);
    problem = null;
    root.toggleAttribute('data-problem', false);
    show('asking');
    // Browsers that remember the permission do not ask.
    const asking = setTimeout(() => mine === turn && say(text('asking')), 300);
    focus(button('record'));
    const constraints = {
      echoCancellation: false, noiseSuppression: false, autoGainControl: false, channelCount: { ideal: 1 }, ...better,
    };
    let mic;
    try {
      mic = await open(constraints, () => mine === turn && interrupted());
    } catch (error) {
      session('playback');
      if (mine !== turn) return;
      trouble(reason(error));
      return focus(button(take ? 'again' : 'record'));
    } finally {
      clearTimeout(asking);
    }
    if (mine !== turn) return mic.drop();
    microphone = mic;
    try {
      if (find('[data-countdown]').checked) {
        show('countdown');
        say(text('get-ready'));
        focus(button('stop'));
        for (const number of [3, 2, 1]) {
          find('.rec-count').textContent = number;
          if (number === 1) mic.start();
          await wait(1000);
          if (mine !== turn) return;
        }
      } else {
        mic.start();
        say(text('get-ready'));
        await wait(LEAD);
        if (mine !== turn) return;
      }
    } catch {
      drop();
      return trouble('unsupported');
    }
    listen(mine, mic);
  }

  function listen(mine, mic) {
    const heights = [];
    const began = performance.now();
    let [loudest, isHeard, shown] = [0, mic.level() === null, -1];
    const tick = () => {
      if (mine !== turn) return;
      const passed = (performance.now() - began) / 1000;
      const level = mic.level() ?? 0;
      const size = Math.min(1, Math.max(0, (20 * Math.log10(level + 1e-6) + 60) / 50));
      loudest = Math.max(loudest, level);
      if (!isHeard && loudest > 0.003) {
        isHeard = true;
        say(text('recording'));
      }
      if (!isHeard && passed > 2.5) say(text('recording'), text('not-heard'));
      // The strip is the whole time: it fills as time passes.
      const bar = Math.min(BARS - 1, Math.floor((passed / limit) * BARS));
      for (let i = heights.length; i <= bar; i++) heights[i] = 0;
      heights[bar] = Math.max(heights[bar], size);
      const left = Math.max(0, Math.ceil(limit - passed));
      if (!isStill.matches || left !== shown) {
        draw(Array.from({ length: BARS }, (_, i) => heights[i] ?? 0), heights.length / BARS);
        root.style.setProperty('--left', Math.max(0, 1 - passed / limit));
        root.style.setProperty('--level', isStill.matches ? 0 : size);
      }
      if (left !== shown) {
        shown = left;
        find('.rec-clock b').textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
      }
      if (passed >= limit) return finish();
      setTimeout(tick, 50);
    };
    microphone.began = began;
    show('recording');
    say(text('recording'));
    focus(button('stop'));
    tick();
  }

  function stop() {
    if (state === 'countdown') {
      drop();
      home();
      return focus(button(take ? 'again' : 'record'));
    }
    // A double click on "Record my name" is not a stop.
    if (state === 'recording' && microphone && performance.now() - microphone.began > 300) finish();
  }

  async function finish() {
    const mine = ++turn;
    const mic = microphone;
    microphone = null;
    say(text('working'));
    await wait(TAIL);
    const { blob, capture } = await mic.finish();
    const length = (performance.now() - mic.began) / 1000;
    if (mine !== turn) return;
    if (blob.size) return taken(mine, blob, { capture, seconds: length });
    trouble('empty');
    focus(button(take ? 'again' : 'record'));
  }

  function drop() {
    turn++;
    microphone?.drop();
    microphone = null;
  }

  function interrupted() {
    drop();
    home(text('interrupted'));
    focus(button(take ? 'again' : 'record'));
  }

  async function taken(mine, blob, more) {
    let [heights, seconds, fault] = [Array(BARS).fill(0), more.seconds, null];
    try {
      if (blob.size > 8e6) throw new Error('too much to decode here');
      const { mono, rate } = await decode(blob);
      // A file may begin with the voice: somebody has trimmed it.
      const faults = judge(mono, rate).faults.filter((each) => more.capture || each !== 'cut');
      [heights, seconds, fault] = [bars(mono), mono.length / rate, faults[0] ?? null];
      // A quiet take is drawn larger, a silent one is not.
      const most = Math.max(...heights, 0.05);
      heights = heights.map((height) => height / most);
    } catch { /* The server may be able to read it. */ }
    if (mine !== turn) return;
    // Never both: gain control raises the noise that is left.
    const help = { quiet: { autoGainControl: true }, noisy: { noiseSuppression: true }, clipped: {} };
    if (more.capture) better = help[fault] ?? better;
    if (take) URL.revokeObjectURL(take.url);
    take = { ...more, blob, heights, seconds, fault, url: URL.createObjectURL(blob) };
    sound.src = take.url;
    problem = null;
    home();
    focus(button('play'));
  }

  // Listening

  function play() {
    if (!sound.paused) return quiet();
    if (sound.error) sound.load();
    channel?.postMessage(PLAY);
    sound.currentTime = 0;
    sound.play().catch((error) => {
      if (error.name === 'NotSupportedError') say(find('.rec-say').textContent, text('unplayable'));
    });
  }
  const follow = () => {
    const isOn = !sound.paused && !sound.ended;
    button('play').setAttribute('aria-pressed', isOn);
    if (state === 'recording') return;
    const length = Number.isFinite(sound.duration) ? sound.duration : take?.seconds;
    find('.rec-wave').style.setProperty('--played', isOn && length && !isStill.matches ? sound.currentTime / length : 1);
    if (isOn && !isStill.matches) requestAnimationFrame(follow);
  };
  ['play', 'pause', 'ended'].forEach((event) => sound.addEventListener(event, follow));

  // Sending

  async function send() {
    if (state === 'sending' || !take) return;
    const mine = ++turn;
    quiet();
    show('sending');
    say(text('sending'));
    find('progress').value = 0;
    focus(button('keep'));
    if (isStale) await renew();
    if (mine !== turn) return;
    const body = new FormData(form);
    const kind = take.blob.type.match(/webm|ogg|mp4/)?.[0];
    body.set('recording', take.blob, take.name ?? (kind ? `name.${kind}` : 'name'));
    if (take.capture) body.set('capture', JSON.stringify(take.capture));
    request = new XMLHttpRequest();
    request.open('POST', form.action);
    request.setRequestHeader('Accept', 'application/json');
    request.setRequestHeader('X-CSRF-Token', form.elements.csrf?.value ?? '');
    request.timeout = 60000;
    request.upload.addEventListener('progress', (event) => {
      if (event.lengthComputable) find('progress').value = event.loaded / event.total;
    });
    // Now the server works on it: no end in sight.
    request.upload.addEventListener('load', () => find('progress').removeAttribute('value'));
    request.addEventListener('load', (event) => mine === turn && answered(event.target));
    ['error', 'timeout'].forEach((event) =>
      request.addEventListener(event, () => mine === turn && failed(text('offline'))));
    request.send(body);
  }

  function answered({ status, responseText, responseURL }) {
    let answer = {};
    try { answer = JSON.parse(responseText) ?? {}; } catch { /* not from our server */ }
    if ((status === 200 || status === 201) && answer.recording) return kept(answer);
    if (status === 413 || status === 422) {
      take.fault = null;
      home(answer.message || text('refused'));
      return focus(button('again'));
    }
    // Some proxies redirect to their own sign-in page instead.
    isStale = status === 401 || status === 403 || (status < 300 && responseURL !== form.action);
    failed(text(isStale ? 'signed-out' : status === 503 || status === 429 ? 'busy' : 'trouble'));
  }

  function failed(sentence) {
    request = null;
    show('failed');
    say('', sentence);
    focus(button('retry'));
  }

  function kept(answer) {
    request = null;
    take.isKept = true;
    take.fault = null;
    better = {};
    // Such as that the name can be recorded now.
    document.querySelector('main p.done')?.remove();
    // What others hear, from now on.
    if (answer.recording.link) sound.src = answer.recording.link;
    home();
    focus(button('play'));
    channel?.postMessage(KEPT);
    root.dispatchEvent(new CustomEvent('recorder:kept', { bubbles: true, detail: answer }));
    renew();
  }

  // Reads the page again: for the part that shows the current recording, and for a new CSRF token.
  async function renew() {
    // A refused form leaves an address that cannot be read.
    const answer = await fetch(root.dataset.page, { cache: 'no-store' }).catch(() => null);
    if (!answer?.ok) return false;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const fresher = page.getElementById(root.id);
    const csrf = fresher?.querySelector('[name=csrf]');
    // Somebody else may have signed in on this device: the take is not theirs.
    if (!csrf || fresher.dataset.who !== root.dataset.who) return false;
    form.elements.csrf.value = csrf.value;
    isStale = false;
    const [here, fresh] = [document, page].map((each) => each.getElementById(root.dataset.part));
    if (here && fresh) {
      here.replaceChildren(...fresh.childNodes);
      here.dispatchEvent(new CustomEvent('recorder:renewed', { bubbles: true }));
    }
    return Boolean(here && fresh);
  }

  // Other ways

  const panels = { file: form, phone: find('.rec-phone') };
  function disclose(which) {
    for (const [name, panel] of Object.entries(panels)) {
      if (!panel) continue;
      panel.hidden = name !== which;
      button(name)?.setAttribute('aria-expanded', name === which);
    }
    if (which !== 'phone') clearTimeout(polling);
  }

  function choose() {
    disclose(form.hidden ? 'file' : null);
    if (!form.hidden) focus(file);
  }

  async function chosen() {
    const [blob] = file.files;
    if (!blob) return;
    drop();
    if (blob.size) {
      say(text('working'));
      await taken(++turn, blob, { name: blob.name });
    } else home(text('refused'));
    file.value = '';
  }

  async function phone() {
    const panel = panels.phone;
    if (!panel.hidden) return disclose(null);
    const headers = { Accept: 'application/json', 'X-CSRF-Token': form.elements.csrf?.value ?? '' };
    const answer = await fetch(root.dataset.handover, { method: 'POST', headers }).catch(() => null);
    const made = answer?.ok ? await answer.json().catch(() => null) : null;
    if (!made) return say(find('.rec-say').textContent, text(answer?.status === 401 ? 'signed-out' : 'phone-failed'));
    panel.querySelector('img').src = `data:image/svg+xml,${encodeURIComponent(made.svg)}`;
    const link = panel.querySelector('a');
    link.href = made.link;
    link.textContent = made.link;
    disclose('phone');
    say(text('phone-waiting'));
    focus(link);
    poll(`${root.dataset.handover}/${made.id}`, performance.now() + 11 * 60 * 1000);
  }

  function poll(path, until) {
    clearTimeout(polling);
    polling = setTimeout(async () => {
      const answer = await fetch(path, { headers: { Accept: 'application/json' }, cache: 'no-store' }).catch(() => null);
      if (panels.phone.hidden) return;
      const now = answer?.ok ? (await answer.json().catch(() => ({}))).state : null;
      if (now === 'arrived') {
        if (!root.dataset.part) return location.reload();
        disclose(null);
        await renew();
        say(text('arrived'));
      } else if (now === 'expired' || answer?.status === 404 || performance.now() > until) {
        disclose(null);
        say('', text('phone-expired'));
        focus(button('phone'));
      } else poll(path, until);
    }, 2000);
  }

  // Events

  const actions = { record, again: record, stop, play, keep: send, retry: send, file: choose, phone };
  for (const [name, action] of Object.entries(actions)) {
    button(name)?.addEventListener('click', (event) => {
      if (event.currentTarget.getAttribute('aria-disabled') !== 'true') action();
    });
  }
  // A key that is held down started the recording, and must not stop it.
  button('stop').addEventListener('keydown', (event) => event.repeat && event.preventDefault());
  document.addEventListener('keydown', (event) => {
    const isFree = !event.target.closest?.('button, a, input, select, textarea, summary, audio, [contenteditable]');
    if (state === 'recording' && isFree && !event.repeat && (event.key === ' ' || event.key === 'Enter')) {
      event.preventDefault();
      stop();
    }
  });
  file.addEventListener('change', chosen);
  form.addEventListener('submit', (event) => event.preventDefault());
  find('[data-countdown]').checked = memory.get();
  find('[data-countdown]').addEventListener('change', (event) => memory.set(event.target.checked));
  channel?.addEventListener('message', ({ data }) => {
    if (data === PLAY) quiet();
    if (data === KEPT) renew();
  });
  navigator.mediaDevices?.addEventListener?.('devicechange', async () => {
    if (problem !== 'none-found' && problem !== 'in-use') return;
    const devices = await navigator.mediaDevices.enumerateDevices().catch(() => []);
    if (problem && devices.some((device) => device.kind === 'audioinput')) {
      problem = null;
      root.toggleAttribute('data-problem', false);
      home();
      say(text('found'));
    }
  });
  // The back button may show this page as it was left: nothing is recorded or sent anymore.
  addEventListener('pagehide', () => {
    if (['asking', 'countdown', 'recording'].includes(state)) drop();
    quiet();
    request?.abort();
  });
  addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    if (state === 'sending') failed(text('offline'));
    else if (!['take', 'failed', 'kept'].includes(state)) home();
    renew();
  });

  find('[data-plain]').hidden = true;
  find('[data-own-window]').hidden = window === window.top;
  // The phone would open a page that is not secure either.
  button('phone')?.closest('li').toggleAttribute('hidden', !isSecureContext);
  const cannot = !isSecureContext ? 'not-secure'
    : !navigator.mediaDevices?.getUserMedia || !globalThis.MediaRecorder ? 'unsupported'
      : window !== window.top && policy() === false ? 'framed' : null;
  isBlocked = Boolean(cannot);
  if (cannot) trouble(cannot);
  else home();
  disclose(file.getAttribute('aria-invalid') === 'true' ? 'file' : null);
}

globalThis.document?.querySelectorAll('[data-recorder]').forEach(enhance);
