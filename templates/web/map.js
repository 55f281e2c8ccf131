/* The map: a button a stage with a dot a cell, as they stand in its matrix; it leads to what is wrong, then to what is empty. */
function showMap() {
  for (const place of map.children) {
    const { stage, dots } = place;
    const all = [...dots.keys()];
    const filled = all.filter(isFilled).length;
    place.setAttribute("aria-label", say("place", { title: `${stage.spoken}, ${stage.title}`, filled, all: all.length }));
    if (stage === current.stage) place.setAttribute("aria-current", "true");
    else place.removeAttribute("aria-current");
    for (const [cell, dot] of dots) {
      const state = !isFilled(cell) ? "" : isUnreadable(cell) ? "unreadable" : cell.mark || "filled";
      dot.className = `${state}${cell === current ? " current" : ""}`;
    }
    if (stage === current.stage) map.scrollLeft = place.offsetLeft - map.offsetLeft - 60;
  }
}

function makeMap() {
  const stages = new Set(cells.map((cell) => cell.stage));
  for (const stage of stages) {
    const stageCells = cells.filter((cell) => cell.stage === stage);
    const columns = [...new Set(stageCells.map((cell) => cell.column))].sort((a, b) => a - b);
    const rows = [...new Set(stageCells.map((cell) => cell.row))].sort((a, b) => a - b);
    const grid = make("span", { class: `dots columns${columns.length}` });
    const place = button("", () => go(stageCells.find((cell) => isFilled(cell) && isOpen(cell)) ?? stageCells.find((cell) => !isFilled(cell)) ?? stageCells[0]));
    place.stage = stage;
    place.dots = new Map();
    for (const row of rows) {
      for (const column of columns) {
        const cell = stageCells.find((cell) => cell.row === row && cell.column === column);
        const dot = grid.appendChild(make("i", { class: "printed" }));
        if (cell) place.dots.set(cell, dot);
      }
    }
    place.append(...setMath(stage.label), grid);
    map.append(place);
  }
}
