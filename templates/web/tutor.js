/* The tutor: hints in three steps, each when it is asked for, and the number itself only after two tries. */

const TRIES_BEFORE_ANSWER = 2;
const hintBox = make("div", { id: "hint", "aria-live": "polite" });

/* Put the student's own numbers where a hint leaves room for them; as factors with brackets round −1 and 1/3. */
function fillHint(text, isFactor = false) {
  return text.replace(/⟨(\w+)⟩/g, (_, id) => {
    const written = formatPart(`@${id}`);
    return isFactor && /^−|\//.test(written) ? `(${written})` : written;
  });
}

/* Return the lines of the next hint for a cell: a question, where to look, what to work, then the number. */
function takeHint(cell) {
  const [question, sources, steps] = cell.hints;
  /* a phone shows beside the cell what it is made from */
  cell.hintCount = Math.max(cell.hintCount ?? 0, phone.hidden ? 0 : 2) + 1;
  if (cell.hintCount === 1) return [question];
  if (cell.hintCount === 2) return sources.map((line) => fillHint(line));
  const work = fillHint(steps, !cell.addends);
  if (cell.hintCount === 3) return [work];
  const found = markAll().byId.get(cell.id);
  noteTry(cell, found);
  if (cell.tries.size < TRIES_BEFORE_ANSWER) return [work, say("check.hint.try")];
  return [work, say("check.hint.answer", { value: format(found.follows ?? found.key) })];
}

function askHint() {
  const lines = takeHint(current);
  for (const id of current.hintCount > 1 ? current.sources : []) document.getElementById(id)?.classList.add("source");
  const paragraphs = lines.map((line) => make("p", {}, ...setMath(line)));
  if (phone.hidden) message.replaceChildren(...paragraphs);
  else hintBox.replaceChildren(...paragraphs);
  recipe.hidden = !phone.hidden;
}

/* Take a hint away when another cell is worked on. */
function hideHint() {
  for (const td of document.querySelectorAll("td.source")) td.classList.remove("source");
  hintBox.replaceChildren();
  recipe.hidden = false;
}

/* ? asks for a hint, wherever a number is typed. */
document.addEventListener("keydown", (event) => {
  if (event.key !== "?" || event.target.tagName !== "INPUT") return;
  event.preventDefault();
  askHint();
});

/* Where one was last: a cell, or a question. */
let place = null;

/* Go to the next cell or question that is marked wrong; after the last one to the first. */
function goToWrong() {
  const all = [...cells, ...questions];
  const start = all.indexOf(place ?? current) + 1;
  const next = [...all.slice(start), ...all.slice(0, start)].find(isOpen);
  if (!next) return;
  place = next;
  if (questions.includes(next)) goToQuestion(next);
  else if (!phone.hidden) go(next);
  else next.field.focus();
}

const nextWrong = button(say("check.next_wrong"), goToWrong, { hidden: "" });
message.after(nextWrong);
recipe.after(hintBox);
more.before(button(say("check.hint"), askHint));
const offerNext = () => {
  nextWrong.hidden = ![...cells, ...questions].some(isOpen);
};
document.addEventListener("checked", offerNext);
document.addEventListener("answered", offerNext);
whenChanged(offerNext);
for (const each of [...cells, ...questions]) each.field.addEventListener("focus", () => { place = each; });
for (const question of questions) question.field.addEventListener("focus", () => question.reason && announce(question.reason));
whenMoved((cell) => {
  place = cell;
  hideHint();
  if (cell.reason) announce(`${cell.name}: ${cell.reason}`);
});
