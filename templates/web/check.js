/* What a student is told of the marks. */

const MARKS = ["right", "follows", "not-yet", "unreadable"];

/* What the marks of a paper are called here. */
const MARK_NAMES = { correct: "right", follows: "follows", wrong: "not-yet", unreadable: "unreadable", blank: "" };

/* What is said of a wrong cell instead, by the note of its mark. */
const REMARKED_NOTES = ["digits", "cut-off", "no-percent", "trivial"];

function mark(cell, found = { mark: "blank" }) {
  cell.mark = MARK_NAMES[found.mark];
  noteTry(cell, found);
  for (const name of MARKS) cell.td.classList.toggle(`mark-${name}`, name === cell.mark);
  cell.remark = cell.mark && say(`check.${REMARKED_NOTES.includes(found.note) ? found.note : cell.mark}`, { places: SHEET.places });
  cell.reason = "";
  cell.field.setAttribute("aria-label", cell.mark ? `${cell.name}: ${cell.remark}` : cell.name);
}

/* Remember what was tried in vain. */
function noteTry(cell, { mark }) {
  cell.tries ??= new Set();
  if (mark === "wrong") cell.tries.add(cell.text.trim());
}

/* Mark the whole sheet; each cell's mark also by its id. */
function markAll() {
  const found = markSheet(Object.fromEntries(cells.map(({ id, text }) => [id, text])));
  return { ...found, byId: new Map(Object.values(found.marks).flat().map((each) => [each.id, each])) };
}

function checkAll() {
  choice.value = "";
  check();
}

function check() {
  const chosen = SHEET.stages.find((stage) => stage.name === choice.value);
  const counts = { right: 0, follows: 0, "not-yet": 0, unreadable: 0, "": 0 };
  const found = markAll();
  const reasons = explainSlips(found);
  for (const cell of cells.filter((cell) => !chosen || cell.stage === chosen)) {
    mark(cell, found.byId.get(cell.id));
    cell.reason = reasons[cell.id] ?? "";
    counts[cell.mark] += 1;
  }
  const { right, follows, "not-yet": notyet, unreadable, "": empty } = counts;
  const what = choice.selectedOptions[0].textContent;
  const key = notyet + unreadable + empty ? "check.summary" : follows ? "check.done.follows" : "check.done";
  announce(say(key, { what, right, follows, notyet, unreadable, empty }));
  document.dispatchEvent(new Event("checked"));
}

const option = (value, text) => make("option", { value }, text);
const choice = make(
  "select",
  { id: "check-what", "aria-label": say("check.what") },
  option("", say("check.all")),
  ...[...new Set(cells.map((cell) => cell.stage))].map((stage) => option(stage.name, `${stage.label}, ${stage.title}`)),
);
more.before(choice, button(say("check"), check));
whenChanged((cell) => mark(cell));
