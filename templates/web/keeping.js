/* Saving answers: progress, this browser's memory, a file, the clipboard. And the bar with all tools. */

const progress = make("output", { id: "progress", "aria-live": "polite" });
const extra = make("span", { id: "extra" });
const more = button(say("more"), () => showMore(!extra.classList.contains("open")), { id: "more", "aria-expanded": "false" });
const tools = make("div", { id: "tools", role: "region", "aria-label": say("tools") }, progress, more, extra, message);

function showMore(isOpen) {
  extra.classList.toggle("open", isOpen);
  more.setAttribute("aria-expanded", isOpen);
}

tools.addEventListener("keydown", ({ key }) => {
  if (key !== "Escape" || !extra.classList.contains("open")) return;
  showMore(false);
  more.focus();
});

function showProgress() {
  const filled = cells.filter(isFilled).length + SHEET.count - cells.length;
  const count = cells.filter((cell) => cell.field.hasAttribute("aria-invalid")).length;
  const text = say("progress", { filled, all: SHEET.count });
  const further = count ? say("progress.unreadable", { count }) : "";
  if (progress.textContent !== text + further) progress.replaceChildren(text, make("span", {}, further));
}

/* The line for the name, where the sheet does not print one: it is kept, and handed in, under an id that no cell has. */
const nameLine = document.querySelector(".rule[data-field=name]");
const NAME = "name";
let name = "";
if (nameLine) {
  nameLine.append(make("input", { type: "text", "aria-label": nameLine.dataset.label, maxlength: "60", autocomplete: "name", oninput: (event) => writeName(event.target.value) }));
}

function writeName(text) {
  name = text;
  const field = nameLine?.firstElementChild;
  if (field && field.value !== text) field.value = text;
  remember();
}

/* Where answers stay, by id, and whether they do: this browser's memory, which some browsers do not have for files. */
const MEMORY = `attnhand ${SHEET.code} ${SHEET.digest}`;
let isRemembered = true;
let isRestoring = false;
let isSaved = true;

let memory = {
  read: () => JSON.parse(localStorage.getItem(MEMORY)) ?? {},
  write(texts) {
    try {
      if (Object.keys(texts).length) localStorage.setItem(MEMORY, JSON.stringify(texts));
      else localStorage.removeItem(MEMORY);
      return true;
    } catch {
      if (isRemembered) announce(say("not_kept"));
      return false;
    }
  },
};

function remember() {
  if (isRestoring) return;
  isSaved = false;
  const texts = [...cells, ...questions, ...notes].filter(isFilled).map(({ id, text }) => [id, text]);
  if (name.trim()) texts.push([NAME, name]);
  isRemembered = memory.write(Object.fromEntries(texts));
}

function restore() {
  let texts = {};
  try {
    texts = memory.read();
  } catch {
    isRemembered = false;
  }
  /* or each answer put back would be remembered without those after it */
  isRestoring = true;
  const restored = cells.filter((cell) => typeof texts[cell.id] === "string");
  for (const cell of restored) {
    write(cell, texts[cell.id]);
    reportUnreadable(cell, cell.field);
  }
  const answered = questions.filter(({ id }) => typeof texts[id] === "string");
  for (const question of answered) writeQuestion(question, texts[question.id]);
  for (const note of notes.filter(({ id }) => typeof texts[id] === "string")) writeNote(note, texts[note.id]);
  if (nameLine && typeof texts[NAME] === "string") writeName(texts[NAME]);
  isRestoring = false;
  if (restored.length + answered.length) announce(say("restored"));
}

/* Return what `attnhand check` reads. */
function makeAnswerFile() {
  const answers = {};
  for (const stage of SHEET.stages) {
    const row = () => Array(stage.columns).fill("");
    answers[stage.name] = Array.from({ length: stage.rows }, row);
  }
  for (const cell of cells) answers[cell.stage.name][cell.row][cell.column] = cell.text.trim();
  for (const { id, text } of questions) answers[id] = [[text.trim()]];
  const named = name.trim() ? { name: name.trim() } : {};
  const written = notes.filter(isFilled).map(({ label, text }) => ({ line: label, text: text.trim() }));
  const noted = written.length ? { notes: written } : {};
  return JSON.stringify({ format: "attnhand-answers/1", code: SHEET.code, ...named, sheet: SHEET.sheet, answers, ...noted });
}

function save() {
  const name = `attnhand-answers-${SHEET.code}.json`;
  const url = URL.createObjectURL(new Blob([makeAnswerFile(), "\n"], { type: "application/json" }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
  isSaved = true;
  announce(say("saved", { name }));
}

async function copy() {
  try {
    await navigator.clipboard.writeText(makeAnswerFile());
    announce(say("copied"));
  } catch {
    const text = make("textarea", { readonly: "", rows: "8", "aria-label": say("copy.by_hand") });
    text.value = makeAnswerFile();
    showDialog(say("copy"), make("p", {}, say("copy.by_hand")), text);
    text.select();
  }
}

function clear() {
  const filled = [...cells, ...questions, ...notes].filter(isFilled).length;
  if (!filled || !confirm(say("clear.sure", { filled }))) return;
  for (const question of questions) writeQuestion(question, "");
  for (const note of notes) writeNote(note, "");
  for (const cell of cells) write(cell, "");
  if (!phone.hidden) showCell();
  showProgress();
  announce(say("cleared"));
}

const showRules = () => showDialog(say("rules"), ...SHEET.rules.map((text) => make("p", {}, ...setMath(text))));

/* What is behind "More" on a narrow screen closes when it is used. */
function closeMoreAnd(work) {
  return () => {
    const isBehind = more.offsetParent !== null;
    showMore(false);
    if (isBehind) more.focus();
    work();
  };
}

extra.append(button(say("save"), closeMoreAnd(save)), button(say("copy"), closeMoreAnd(copy)), button(say("clear"), closeMoreAnd(clear)));

whenChanged(remember);
window.addEventListener("beforeunload", (event) => !isRemembered && !isSaved && event.preventDefault());
