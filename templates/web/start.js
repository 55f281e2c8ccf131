/* Put the tools on the page, bring back what was kept, and on a small screen begin with one cell at a time. */

/* A matrix that is wider than the screen, and has no fields that lead there, is a stop for Tab: arrows scroll it. */
function setStops() {
  for (const grid of main.querySelectorAll(".grid")) {
    const isStop = grid.scrollWidth > grid.clientWidth && !grid.querySelector("input, select");
    if (isStop) grid.setAttribute("tabindex", "0");
    else grid.removeAttribute("tabindex");
  }
}

for (const cell of cells) {
  cell.field.addEventListener("focus", () => setCurrent(cell));
  cell.field.addEventListener("blur", showProgress);
}
const main = document.querySelector("main");
main.before(tools);
main.prepend(phone);
new ResizeObserver(setStops).observe(main);
restore();
showProgress();
whenChanged((cell) => cell === current && !phone.hidden && showMap());
whenChanged(showProgress);
current = cells.find((cell) => !isFilled(cell)) ?? cells[0];
if (matchMedia(`(max-width: ${SHEET.narrow})`).matches) showPhone(true);
