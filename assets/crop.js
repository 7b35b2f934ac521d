// Crops a photo to a square before it is sent: enhances templates/me/parts/photo.html. The sliders are for the keyboard; the
// picture can be dragged, and pinched on a touch screen. The cropped picture replaces the chosen file, and the form is sent as
// usual. If the browser cannot read the file, it is sent as it is, and the server decides.

const SIDE = 512; // The server keeps no more pixels than that.
const clamp = (value, least, most) => Math.min(most, Math.max(least, value));

// The square of a picture of this size: `zoom` in percent of the largest one, `x` and `y` in percent of the space left.
export function square({ width, height }, { zoom, x, y }) {
  const side = (Math.min(width, height) * 100) / zoom;
  return { side, left: ((width - side) * x) / 100, top: ((height - side) * y) / 100 };
}

function draw(canvas, picture, view) {
  const { side, left, top } = square(picture, view);
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.fillStyle = '#fff'; // Behind transparent pictures, as on the server.
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, left, top, side, side, 0, 0, canvas.width, canvas.height);
}

function enhance(form) {
  const find = (selector) => form.querySelector(selector);
  const [file, stage, canvas, status] = ['[type=file]', '.crop', 'canvas', '.crop-say'].map(find);
  const sliders = Object.fromEntries(['zoom', 'x', 'y'].map((name) => [name, find(`[data-crop-by=${name}]`)]));
  let picture = null;
  let turn = 0;

  const view = () => Object.fromEntries(Object.entries(sliders).map(([name, slider]) => [name, Number(slider.value)]));
  const set = (name, value) => {
    sliders[name].value = clamp(value, Number(sliders[name].min), Number(sliders[name].max));
  };
  const show = () => picture && draw(canvas, picture, view());

  async function choose() {
    const mine = ++turn;
    const [chosen] = file.files;
    const read = chosen ? await createImageBitmap(chosen).catch(() => null) : null;
    if (mine !== turn) return;
    picture?.close();
    picture = read;
    stage.hidden = !picture;
    status.textContent = picture ? status.dataset.ready : '';
    set('zoom', 100);
    set('x', 50);
    set('y', 50);
    show();
  }

  // Moves the picture by pixels of the page.
  function move(right, down) {
    const { side } = square(picture, view());
    const scale = (side / canvas.clientWidth) * 100;
    const { x, y } = view();
    if (picture.width > side) set('x', x - (right * scale) / (picture.width - side));
    if (picture.height > side) set('y', y - (down * scale) / (picture.height - side));
  }

  const fingers = new Map();
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, event);
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = fingers.get(event.pointerId);
    if (!picture || !before) return;
    const wide = fingers.size === 2 ? spread() : 0;
    fingers.set(event.pointerId, event);
    if (wide > 0) set('zoom', (view().zoom * spread()) / wide);
    else if (fingers.size === 1) move(event.clientX - before.clientX, event.clientY - before.clientY);
    show();
  });
  for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) {
    canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
  }

  async function send(event) {
    if (!picture) return;
    event.preventDefault();
    const result = document.createElement('canvas');
    result.width = result.height = Math.max(1, Math.min(SIDE, Math.round(square(picture, view()).side)));
    draw(result, picture, view());
    const blob = await new Promise((done) => { result.toBlob(done, 'image/jpeg', 0.92); });
    if (blob) {
      const files = new DataTransfer();
      files.items.add(new File([blob], 'photo.jpg', { type: blob.type }));
      file.files = files.files;
    }
    form.submit();
  }

  file.addEventListener('change', choose);
  Object.values(sliders).forEach((slider) => slider.addEventListener('input', show));
  form.addEventListener('submit', send);
  // The back button may bring the page back with the cropped picture in the form.
  addEventListener('pageshow', (event) => { if (event.persisted) { file.value = ''; choose(); } });
  if (file.files.length) choose();
}

globalThis.document?.querySelectorAll('[data-crop]').forEach(enhance);
