/* The cells to fill: a field in each, what is written there, and the keys that lead from one to the next. */

const cellsById = new Map();
for (const stage of SHEET.stages) {
  for (const cell of stage.cells) cellsById.set(cell.id, { ...cell, stage, text: "", td: document.getElementById(cell.id) });
}

/* In reading order. */
const cells = [...document.querySelectorAll("td.blank")].map((td) => cellsById.get(td.id)).filter(Boolean);

/* What is said around the name of an empty cell. */
const [beforeName, afterName] = SHEET.words.empty.split("{cell}");
const readName = (td) => td.getAttribute("aria-label").slice(beforeName.length, -afterName.length || undefined);

for (const cell of cells) {
  cell.name = readName(cell.td);
  cell.field = make("input", {
    type: "text",
    name: cell.id,
    "aria-label": cell.name,
    maxlength: "40",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    enterkeyhint: "next",
    oninput: () => write(cell, cell.field.value),
    onchange: () => reportUnreadable(cell, cell.field),
    onkeydown: (event) => move(cell, event),
  });
  cell.td.append(cell.field);
}

/* Copies of cells, such as those of K in its transpose, show what stands in the cell they copy. */
const copies = new Map();
for (const [id, rows] of Object.entries(SHEET.copies)) {
  const rowElements = [...document.querySelectorAll(`#${id} tr`)].slice(1);
  rows.forEach((row, i) => row.forEach((source, j) => {
    if (source) copies.set(source, [...(copies.get(source) ?? []), rowElements[i].querySelectorAll("td")[j]]);
  }));
}

/* What is printed, as the worked cell is, stands in its copies from the start. */
for (const [source, tds] of copies) {
  const printed = cellsById.has(source) ? "" : document.getElementById(source)?.textContent ?? "";
  for (const copy of tds) copy.textContent = printed;
}

const isFilled = (cell) => cell.text.trim() !== "";
const isUnreadable = (cell) => Boolean(readAnswer(cell.text)?.unreadable);
const isOpen = (cell) => cell.mark === "not-yet" || cell.mark === "unreadable";

/* A step of size for every few characters, so that 9/46 is legible in a narrow cell. */
const fontSizeStep = (text) => [4, 6, 8, 12].filter((length) => text.length > length).length;

/* Put a text into a cell, wherever it was typed. */
function write(cell, text) {
  cell.text = text;
  if (cell.field.value !== text) cell.field.value = text;
  cell.field.className = `size${fontSizeStep(text)}`;
  for (const copy of copies.get(cell.id) ?? []) {
    copy.textContent = text;
    copy.className = `copied size${fontSizeStep(text)}`;
  }
  nameCell(cell);
  if (!isUnreadable(cell)) markReadable(cell);
  for (const listener of listeners) listener(cell);
}

/* Say of a box whose it is, and whether it is empty. */
function nameCell(cell) {
  cell.td.setAttribute("aria-label", isFilled(cell) ? cell.name : say("empty", { cell: cell.name }));
}

function markReadable(cell) {
  cell.field.removeAttribute("aria-invalid");
  cell.td.classList.remove("unreadable");
}

/* Say what cannot be read, once a cell is left. */
function reportUnreadable(cell, field) {
  const why = readAnswer(cell.text)?.unreadable;
  if (!why) return;
  field.setAttribute("aria-invalid", "true");
  cell.field.setAttribute("aria-invalid", "true");
  cell.td.classList.add("unreadable");
  announce(say("unreadable", { cell: cell.name, text: cell.text, advice: say(`advice.${why}`) }));
}

/* Return the cell so many places further in reading order. */
const cellAfter = (cell, steps) => cells[cells.indexOf(cell) + steps];

/* Say whether an arrow key would leave the text: its caret is at that end, or all of it is selected. */
function isAtEdge(field, key) {
  const { selectionStart: start, selectionEnd: end, value } = field;
  if (start === 0 && end === value.length) return true;
  return start === end && (key === "ArrowLeft" ? start === 0 : end === value.length);
}

function move(cell, event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
  const { key } = event;
  let next = null;
  if (key === "Enter") next = event.shiftKey ? cellAfter(cell, -1) : cellAfter(cell, 1) ?? questions[0];
  else if (event.shiftKey) return;
  else if (key === "ArrowUp" || key === "ArrowDown") next = findNeighbour(cell, key);
  else if ((key === "ArrowLeft" || key === "ArrowRight") && isAtEdge(cell.field, key)) next = findNeighbour(cell, key);
  else return;
  event.preventDefault();
  if (!next) {
    reportUnreadable(cell, cell.field);
    showProgress();
    return;
  }
  focusField(next);
}

/* A list of choices has no text to select. */
function focusField({ field }) {
  field.focus();
  field.select?.();
}

const DIRECTIONS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

/* Return the nearest cell that way: in line with this one first, so that a grid is left only at its edge. */
function findNeighbour(cell, key) {
  const [across, down] = DIRECTIONS[key];
  const here = cell.td.getBoundingClientRect();
  let nearest = null;
  let shortest = Infinity;
  for (const other of cells) {
    const there = other.td.getBoundingClientRect();
    const x = there.x + there.width / 2 - here.x - here.width / 2;
    const y = there.y + there.height / 2 - here.y - here.height / 2;
    const ahead = x * across + y * down;
    const aside = Math.abs(x * down + y * across);
    const distance = ahead + 4 * aside + (aside > ahead ? 100000 : 0);
    if (ahead > 2 && distance < shortest) [nearest, shortest] = [other, distance];
  }
  return nearest;
}
