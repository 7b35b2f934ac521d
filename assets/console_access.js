// Buttons that copy a secret, a command or a link of the page. Without this, people select the text themselves.
const wait = 2000;

for (const button of document.querySelectorAll('[data-copy]')) {
  const source = document.getElementById(button.dataset.copy);
  if (!source || !navigator.clipboard) continue;
  const text = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(source.value ?? source.textContent);
    button.textContent = button.dataset.copied;
    setTimeout(() => { button.textContent = text; }, wait);
  });
}
