// "Copy link" on the badge.
const copy = document.querySelector('.copy');
if (copy && navigator.clipboard) {
  const text = copy.textContent;
  copy.hidden = false;
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(copy.dataset.address);
    copy.textContent = copy.dataset.copied;
    setTimeout(() => { copy.textContent = text; }, 2000);
  });
}
