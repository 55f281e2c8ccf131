/* One cell at a time: what it is made from, the sum that is tapped together, a keypad of its own, and a map of progress. */

let current = cells[0];

/* The parts of the current cell that are written down so far. */
let added = new Set();

const phone = make("section", { id: "phone", hidden: "", "aria-label": say("one_cell") });
const title = make("h1", { id: "phone-title" });
const recipe = make("div", { id: "recipe" });
const parts = make("div", { id: "parts", role: "group" });
const total = make("p", { id: "total", "aria-live": "polite" });
const remark = make("p", { id: "remark", "aria-live": "polite" });
const work = make("div", { id: "work" }, recipe, parts, total);
const answer = make("input", {
  id: "answer",
  type: "text",
  inputmode: "none",
  maxlength: "40",
  autocomplete: "off",
  autocapitalize: "off",
  spellcheck: "false",
  oninput: () => write(current, answer.value),
  onchange: () => leave(),
  onkeydown: (event) => moveByKey(event),
});
const map = make("nav", { id: "map", "aria-label": say("map") });

/* Return the value of a number that the sheet prints, or of the student's own cell; null where it is not known. */
function readNumber(number) {
  const reading = readAnswer(number.startsWith("@") ? cellsById.get(number.slice(1)).text : number);
  return reading && !reading.unreadable ? reading.value : null;
}

const formatPart = (number) => {
  const value = readNumber(number);
  if (value === null) return "□";
  return (number.startsWith("@") ? cellsById.get(number.slice(1)).text.trim() : number).replace("-", "−").replace("inf", "∞");
};
const speakPart = (number) => (readNumber(number) === null ? say("unknown") : formatPart(number));

/* Return what a part adds: a product of two numbers, or a number; null where one of them is not known. */
function computePart(part) {
  const values = [part].flat().map(readNumber);
  return values.some((value) => value === null || value === MINUS_INFINITY) ? null : values.reduce(product);
}

/* Functions that are called when another cell is worked on. */
const movers = [];
const whenMoved = (mover) => movers.push(mover);

function setCurrent(cell) {
  if (cell === current) return;
  current = cell;
  added = new Set();
  for (const mover of movers) mover(cell);
}

function showCell() {
  const { stage } = current;
  title.replaceChildren(...setMath(current.name));
  /* of a sum the recipe says what the formula says */
  const guess = current === cells.find((cell) => cell.stage === stage) && stage.guess;
  const lines = [guess, !current.addends && `${stage.label} = ${stage.formula}`, stage.purpose, current.recipe ?? stage.do];
  recipe.replaceChildren(...lines.filter(Boolean).map((text) => make("p", {}, ...setMath(text))));
  showParts();
  answer.value = current.text;
  answer.setAttribute("aria-label", `${say("answer")}: ${current.name}`);
  remark.replaceChildren(...setMath(current.reason || current.remark || ""));
  remark.className = current.mark ?? "";
  if (isUnreadable(current) && current.field.hasAttribute("aria-invalid")) answer.setAttribute("aria-invalid", "true");
  else answer.removeAttribute("aria-invalid");
  showMap();
}

function showParts() {
  const list = current.pairs ?? current.addends;
  total.hidden = !list;
  parts.className = current.pairs ? "pairs" : list ? "addends" : "reads";
  if (list) {
    parts.setAttribute("aria-label", say(current.pairs ? "pairs" : "addends"));
    parts.replaceChildren(...list.map((part, i) => makePartButton([part].flat(), i)));
    showTotal();
  } else {
    parts.removeAttribute("aria-label");
    parts.replaceChildren(
      ...current.reads.map(([name, number]) =>
        make("p", {}, ...setMath(`${name} = `), make("b", {}, make("span", { "aria-hidden": "true" }, formatPart(number)), ...makeSpoken(number)))),
    );
  }
}

/* What a screen reader says of a number. */
const makeSpoken = (number) => [make("span", { class: "unseen" }, speakPart(number))];

function makePartButton(numbers, i) {
  const isKnown = computePart(numbers) !== null;
  const spoken = numbers.length > 1 ? say("pair", { left: speakPart(numbers[0]), right: speakPart(numbers[1]) }) : speakPart(numbers[0]);
  const lines = numbers.map((number) => make("span", {}, formatPart(number)));
  if (lines.length > 1) lines.splice(1, 0, make("span", { class: "times" }, "·"));
  const element = button("", () => addPart(i), { "aria-label": spoken, "aria-pressed": added.has(i) });
  element.append(...lines);
  element.disabled = !isKnown;
  return element;
}

function addPart(i) {
  if (!added.delete(i)) added.add(i);
  parts.children[i].setAttribute("aria-pressed", added.has(i));
  showTotal();
}

/* Write down what was tapped; to work it is the student's. */
function showTotal() {
  const list = current.pairs ?? current.addends;
  const terms = list.filter((_, i) => added.has(i)).map((part) => writeProduct([part].flat()));
  total.textContent = added.size ? terms.join(" + ") : say(current.pairs ? "pairs" : "addends");
}

/* Return a product as it is written, −1 and 1/3 in brackets; or the one number. */
function writeProduct(numbers) {
  const texts = numbers.map(formatPart);
  return texts.length === 1 ? texts[0] : texts.map((text) => (/^−|[/]/.test(text) ? `(${text})` : text)).join(" · ");
}

/* Leave the current cell; say so if its answer cannot be read. */
function leave() {
  reportUnreadable(current, answer);
  showProgress();
}

function go(cell) {
  if (!cell) return;
  leave();
  setCurrent(cell);
  showCell();
  answer.focus({ preventScroll: true });
}

/* Go on, from the last cell to the first that is left, or to the questions; back, no further than the first. */
function step(steps) {
  const next = cellAfter(current, steps);
  if (next || steps < 0) {
    go(next);
    return;
  }
  leave();
  const empty = cells.filter((cell) => !isFilled(cell));
  const open = questions.filter((question) => !isFilled(question));
  if (empty.length) go(empty[0]);
  else if (open.length) goToQuestion(open[0]);
  announce(say(empty.length ? "end.empty" : open.length ? "end.questions" : "end.filled", { count: empty.length }));
  if (empty.length || !open.length) document.dispatchEvent(new Event("ended"));
}

function moveByKey(event) {
  const { key, shiftKey } = event;
  if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
  const inStage = (down) => cells.find((cell) =>
    cell.stage === current.stage && cell.column === current.column && cell.row === current.row + down);
  if (key === "Enter") step(shiftKey ? -1 : 1);
  else if (shiftKey) return;
  else if (key === "ArrowUp") go(inStage(-1));
  else if (key === "ArrowDown") go(inStage(1));
  else if (key === "ArrowLeft" && isAtEdge(answer, key)) step(-1);
  else if (key === "ArrowRight" && isAtEdge(answer, key)) step(1);
  else return;
  event.preventDefault();
}

/* Type a character where the caret is, or delete the one before it. */
function press(text) {
  const { selectionStart: start, selectionEnd: end } = answer;
  if (answer.value.length - (end - start) + text.length > answer.maxLength) return;
  if (text) answer.setRangeText(text, start, end, "end");
  else answer.setRangeText("", start === end ? Math.max(0, start - 1) : start, end, "end");
  write(current, answer.value);
  showMap();
  answer.focus({ preventScroll: true });
}

function makeKeypad() {
  const isMasked = SHEET.stages.some((stage) => stage.infinite);
  const keys = ["7", "8", "9", null, "4", "5", "6", "−", "1", "2", "3", "/", "0", SHEET.decimal_mark, ...(isMasked ? ["−∞"] : [])];
  const pad = make("div", { id: "keypad", role: "group", "aria-label": say("keypad"), class: isMasked ? "masked" : null });
  for (const key of keys) {
    const element = button(key ?? deleteSign(), () => press(key ?? ""));
    if (!key) element.setAttribute("aria-label", say("delete"));
    pad.append(element);
  }
  pad.append(button(say("next_key"), () => step(1), { class: "next" }));
  return pad;
}

function deleteSign() {
  const sign = make("span", { "aria-hidden": "true" });
  sign.innerHTML = '<svg viewBox="0 0 24 16"><path d="M8 1h15v14H8L1 8zM11 4l8 8M19 4l-8 8"/></svg>';
  return sign;
}

/* Subtle: a button must not take the caret away from the answer, or the message shown on leaving it would move the button. */
phone.addEventListener("pointerdown", (event) => {
  announce("");
  if (event.target.closest("button")) event.preventDefault();
});

/* Keys of a keyboard reach the answer wherever nothing else has the focus. */
document.addEventListener("keydown", () => {
  if (!phone.hidden && document.activeElement === document.body) answer.focus({ preventScroll: true });
});

/* A swipe to the left leads to the next cell, one to the right to the one before; the map scrolls instead. */
let touched = null;
phone.addEventListener("touchstart", (event) => {
  const { clientX: x, clientY: y } = event.touches[0];
  touched = event.touches.length === 1 && !map.contains(event.target) ? { x, y } : null;
}, { passive: true });
phone.addEventListener("touchend", (event) => {
  if (!touched) return;
  const { clientX, clientY } = event.changedTouches[0];
  const [x, y] = [clientX - touched.x, clientY - touched.y];
  if (Math.abs(x) > 50 && Math.abs(x) > 2 * Math.abs(y)) step(x < 0 ? 1 : -1);
  touched = null;
});

const view = button(say("view.cell"), () => turn(), { id: "view" });

function showPhone(isPhone) {
  phone.hidden = !isPhone;
  document.body.classList.toggle("one-cell", isPhone);
  view.textContent = say(isPhone ? "view.sheet" : "view.cell");
  if (isPhone) reserveRoom();
  else current.field.scrollIntoView({ block: "center" });
}

/* Leave as much room above the answer as the tallest stage needs, where the screen has it: then no key ever moves. What
   is said at the foot of the screen needs room too. */
function reserveRoom() {
  const here = current;
  work.style.minHeight = "";
  let tallest = 0;
  for (const stage of new Set(cells.map((cell) => cell.stage))) {
    current = cells.find((cell) => cell.stage === stage);
    showCell();
    tallest = Math.max(tallest, Math.ceil(work.getBoundingClientRect().height));
  }
  current = here;
  showCell();
  const room = innerHeight - message.offsetHeight - keypad.getBoundingClientRect().bottom + work.offsetHeight;
  work.style.minHeight = `${Math.min(tallest, Math.max(room, 0))}px`;
}
addEventListener("resize", () => phone.hidden || reserveRoom());

/* Questions stand on the whole sheet alone. */
function goToQuestion(question) {
  showPhone(false);
  focusField(question);
  question.field.scrollIntoView({ block: "center" });
}

/* Change between the whole sheet and one cell, and go on at the same cell. */
function turn() {
  showPhone(phone.hidden);
  (phone.hidden ? current.field : answer).focus();
}

const keypad = makeKeypad();
makeMap();
phone.append(
  make("header", {}, button("‹", () => step(-1), { "aria-label": say("previous") }), title,
    button("›", () => step(1), { "aria-label": say("next") })),
  work, answer, remark, keypad, map,
);
progress.after(view, button(say("rules"), showRules, { id: "rules" }));
document.addEventListener("checked", () => phone.hidden || showCell());
