// The list of people in the console: selects everybody on the page, and says that nobody is selected if everybody who matches is meant.
const form = document.querySelector('[data-people]');

if (form) {
  const part = form.querySelector('[data-select-all]');
  const all = part.querySelector('input');
  const boxes = [...form.querySelectorAll('input[name="id"]')];
  const everybody = form.querySelector('input[name="all"]');
  const show = () => {
    const chosen = boxes.filter((box) => box.checked).length;
    all.checked = chosen === boxes.length;
    all.indeterminate = chosen > 0 && chosen < boxes.length;
  };
  all.addEventListener('change', () => {
    boxes.forEach((box) => (box.checked = all.checked));
    show();
  });
  boxes.forEach((box) => box.addEventListener('change', show));
  everybody.addEventListener('change', () => {
    for (const box of [all, ...boxes]) box.disabled = everybody.checked;
  });
  part.hidden = false;
  show();
}
