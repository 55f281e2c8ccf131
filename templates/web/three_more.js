/* Three more, after a slip: cells of its stage on new numbers, one by one, until three in a row are right. The numbers are
   those of other sheets, of which the page has what is given; what is asked it works itself. */

const IN_A_ROW = 3;
const slippedStages = new Set();

/* Return all matrices of another sheet. */
function workSheet({ given }) {
  const matrices = Object.fromEntries(Object.entries(given).map(([name, rows]) => [name, readMatrix(rows)]));
  for (const { name, formula } of KEY.stages) matrices[name] = workFormula(formula, matrices);
  return matrices;
}

/* Return the lines that say what a cell is worked from, with new numbers in them; null where they have no room for these. */
function writeSources({ hints: [, lines], pairs, addends, reads }, values) {
  const write = (value) => writeNumber(lift(value));
  if (reads) return reads.length === values.length ? reads.map(([place], n) => `${place} = ${write(values[n])}`) : null;
  const sides = pairs ? [0, 1].map((side) => values.map((pair) => pair[side])) : [values];
  return sides.map((numbers, n) => lines[n].replace(/: [^:]*$/, `: ${numbers.map(write).join(" ")}`));
}

/* Return the cells of a stage that can be asked on new numbers. */
function listExercises(stage) {
  return KEY.more.flatMap((sheet) => (sheet.cells[stage.name] ?? []).flatMap(([row, column]) => {
    sheet.matrices ??= workSheet(sheet);
    const cell = stage.own.find((each) => each.row === row && each.column === column);
    const [i, j] = turnPlace(row, column);
    const parts = listParts(stage, sheet.matrices, i, j);
    const values = cell.pairs ? parts.map((part) => (KEY.is_rows ? [...part].reverse() : part)) : parts.flat();
    /* what a mask hides reads nothing, and is a score all the same */
    const lines = writeSources(cell, stage.form === "mask" ? [sheet.matrices[stage.formula.reads[0]][i][j]] : values);
    return lines ? [{ cell, i, j, lines, matrices: sheet.matrices, right: sheet.matrices[stage.name][i][j] }] : [];
  }));
}

/* Return why a number is wrong, if a slip gives it. */
function findSlip(stage, { i, j, matrices }, text, reading) {
  const context = makeContext(stage, matrices);
  const isFrom = (slip) => {
    const wrong = workSlip(slip, context);
    return wrong?.[i]?.[j] && isEvidence(reading, wrong[i][j]);
  };
  const slips = stage.slips.filter(isFrom);
  if (slips.length !== 1) return "";
  const { perhaps, why } = stage.reasons[slips[0].id];
  return `${perhaps} ${fillReason(why, nameNumbers(stage, { i, j, text }, matrices, KEY.in_decimals))} `;
}

function openThreeMore(stage) {
  const exercises = listExercises(stage);
  const dots = Array.from({ length: IN_A_ROW }, () => make("i"));
  const sources = make("div", { id: "more-sources" });
  const verdict = make("p", { id: "more-verdict", role: "status", "aria-live": "polite" });
  const field = make("input", {
    id: "more-answer", type: "text", maxlength: "40", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    onkeydown: (event) => event.key === "Enter" ? (event.preventDefault(), answerOne()) : event.stopPropagation(),
  });
  let at = 0;
  let count = 0;
  const ask = () => {
    const { cell, lines } = exercises[at % exercises.length];
    sources.replaceChildren(...lines.map((line) => make("p", {}, ...setMath(line))), make("p", {}, ...setMath(`${cell.name} = ?`)));
    field.setAttribute("aria-label", `${say("answer")}: ${cell.name}`);
    field.value = "";
    dots.forEach((dot, n) => dot.classList.toggle("right", n < count));
    field.focus();
  };
  const tell = (text) => verdict.replaceChildren(...setMath(text));
  const answerOne = () => {
    const asked = exercises[at % exercises.length];
    const reading = readAnswer(field.value);
    if (!reading) return;
    if (reading.unreadable) {
      tell(say("unreadable", { cell: asked.cell.name, text: field.value, advice: say(`advice.${reading.unreadable}`) }));
      return;
    }
    const found = matchAnswer(reading, asked.right);
    if (found === "digits") {
      tell(say("check.digits", { places: SHEET.places }));
      return;
    }
    count = found ? count + 1 : 0;
    const wrong = found ? "" : `${asked.cell.name}: ${say("check.not-yet")}. ${findSlip(stage, asked, field.value, reading)}`;
    at += 1;
    if (count === IN_A_ROW) {
      slippedStages.delete(stage.name);
      dialog.close();
      announce(say("check.more.done"));
      return;
    }
    tell(found ? `✓ ${say("check.more.count", { count, all: IN_A_ROW })}` : `${wrong}${say("check.hint.answer", { value: format(asked.right) })} ${say("check.more.again")}`);
    ask();
  };
  const title = say("check.more", { stage: nameStage(stage) });
  const dialog = showDialog(title, make("p", {}, say("check.more.how")), make("p", { class: "dots columns3", "aria-hidden": "true" }, ...dots),
    sources, make("p", {}, field, " ", button(say("check"), answerOne)), verdict);
  dialog.addEventListener("close", offerThreeMore);
  ask();
}

const nameStage = ({ name }) => SHEET.stages.find((stage) => stage.name === name).label;
const offers = make("span", { id: "three-more" });

/* Show a button for every stage in which a slip was found and that is not settled. */
function offerThreeMore() {
  const stages = KEY.stages.filter(({ name }) => slippedStages.has(name));
  offers.replaceChildren(...stages.map((stage) => button(say("check.more", { stage: nameStage(stage) }), () => openThreeMore(stage))));
}

for (const stage of KEY.stages) stage.own = cells.filter((cell) => cell.stage.name === stage.name);
nextWrong.after(offers);
document.addEventListener("checked", () => {
  const { marks } = markAll();
  for (const stage of KEY.stages) {
    if (marks[stage.name]?.some((each) => isUnexplained(each) && cellsById.get(each.id)?.mark) && listExercises(stage).length) slippedStages.add(stage.name);
  }
  offerThreeMore();
});
