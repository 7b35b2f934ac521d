// The console: on narrow screens the menu starts closed.
const menu = document.querySelector(".menu");
if (menu && matchMedia("(max-width: 48rem)").matches) menu.open = false;
