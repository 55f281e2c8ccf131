/* What a student is told of the marks. */

const MARKS = ["right", "follows", "not-yet", "unreadable"];

/* What the marks of a paper are called here. */
const MARK_NAMES = { correct: "right", follows: "follows", wrong: "not-yet", unreadable: "unreadable", blank: "" };

/* What is said of a wrong cell instead, by the note of its mark. */
const REMARKED_NOTES = ["digits", "cut-off", "no-percent"];

function mark(cell, found = { mark: "blank" }) {
  noteTry(cell, found);
  showMark(cell, cell.name, found);
  cell.reason = found.note === "unworked" ? cell.remark : "";
}

/* What is said of copies, by how many calculations were left: none, one or several. */
const UNWORKED = ["unworked.none", "unworked.one"];

/* Show a mark in its box, and say it of its field. */
function showMark(cell, name, { mark, note, left }) {
  cell.mark = MARK_NAMES[mark];
  for (const each of MARKS) cell.td.classList.toggle(`mark-${each}`, each === cell.mark);
  const key = note === "unworked" ? UNWORKED[left] ?? note : REMARKED_NOTES.includes(note) ? note : cell.mark;
  cell.remark = cell.mark && say(`check.${key}`, { places: SHEET.places, count: left });
  cell.field.setAttribute("aria-label", cell.mark ? `${name}: ${cell.remark}` : name);
}

/* Mark a question, and say on coming to it what to think over, or why it is right. */
function markQuestion(question, mark = "blank") {
  showMark(question, question.asked, { mark });
  const { remarks } = KEY.questions.find(({ name }) => name === question.id);
  question.reason = fillReason(remarks[mark], { answer: question.text.trim() });
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
  const asks = choice.value === ASKS;
  /* the cell that is worked on the sheet counts as on paper */
  const toCount = KEY.stages.filter(({ name }) => !chosen || name === chosen.name);
  const printed = toCount.flatMap((stage) => stage.cells.filter((cell) => "printed" in cell));
  const counts = { right: printed.length, follows: 0, "not-yet": 0, unreadable: 0, "": 0 };
  const found = markAll();
  for (const cell of cells.filter((cell) => !asks && (!chosen || cell.stage === chosen))) {
    mark(cell, found.byId.get(cell.id));
    cell.reason = found.reasons[cell.id] ?? cell.reason;
    counts[cell.mark] += 1;
  }
  const { right, follows, "not-yet": notyet, unreadable, "": empty } = counts;
  const what = choice.selectedOptions[0].textContent;
  const key = notyet + unreadable + empty ? "check.summary" : follows ? "check.done.follows" : "check.done";
  const sentences = asks ? [] : [say(key, { what, right, follows, notyet, unreadable, empty })];
  if (found.otherWay && !asks) sentences.push(say(`check.${found.otherWay}`));
  if (!chosen) sentences.push(...checkQuestions(found));
  announce(sentences.join(" "));
  document.dispatchEvent(new Event("checked"));
}

/* Mark the questions, and return how many are right: nothing where none is answered and cells are left. */
function checkQuestions({ written }) {
  const marks = markQuestions(Object.fromEntries(questions.map(({ id, text }) => [id, text])), written);
  for (const question of questions) markQuestion(question, marks[question.id]);
  const right = questions.filter(isRight).length;
  const isTime = questions.some(isFilled) || (questions.length && cells.every(isRight));
  return isTime ? [say("check.questions", { right, of: questions.length })] : [];
}

const isRight = ({ mark }) => mark === "right" || mark === "follows";

/* What no stage is called. */
const ASKS = "?";
const option = (value, text) => make("option", { value }, text);
const toCheck = [...new Set(cells.map((cell) => cell.stage))];
const isOnly = ({ title }) => toCheck.filter((stage) => stage.title === title).length === 1;
const choice = make(
  "select",
  { id: "check-what", "aria-label": say("check.what") },
  option("", say("check.all")),
  ...toCheck.map((stage) => option(stage.name, isOnly(stage) ? stage.title : `${stage.title} ${stage.label}`)),
  ...(questions.length ? [option(ASKS, say("check.asks"))] : []),
);
more.before(choice, button(say("check"), check));
whenChanged((cell) => mark(cell));
document.addEventListener("answered", ({ detail: question }) => markQuestion(question));
