/* Put the tools on the page, bring back what was kept, and on a small screen begin with one cell at a time. */

for (const cell of cells) {
  cell.field.addEventListener("focus", () => {
    current = cell;
  });
  cell.field.addEventListener("blur", showProgress);
}
document.querySelector("main").before(tools, phone);
restore();
showProgress();
whenChanged((cell) => cell === current && !phone.hidden && showMap());
current = cells.find((cell) => !isFilled(cell)) ?? cells[0];
if (matchMedia("(max-width: 600px)").matches) showPhone(true);
