/* Three more, after a slip: cells of its stage on new numbers, one by one, until three in a row are right. */

/* By name of each stage in which a slip was found and that is not settled: the slip, and what is still to be asked. */
const slippedStages = new Map();

function openThreeMore(stage) {
  const { exercises } = slippedStages.get(stage.name);
  const dots = Array.from({ length: IN_A_ROW }, () => make("i"));
  const sources = make("div", { id: "more-sources" });
  const verdict = make("p", { id: "more-verdict", role: "status", "aria-live": "polite" });
  const field = make("input", {
    id: "more-answer", type: "text", maxlength: "40", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    onkeydown: (event) => event.key === "Enter" ? (event.preventDefault(), answerOne()) : event.stopPropagation(),
  });
  let count = 0;
  const ask = () => {
    const { cell, lines } = exercises[0];
    const { name } = cellsById.get(cell.id);
    sources.replaceChildren(...lines.map((line) => make("p", {}, ...setMath(line))), make("p", {}, ...setMath(`${name} = ?`)));
    field.setAttribute("aria-label", `${say("answer")}: ${name}`);
    field.value = "";
    dots.forEach((dot, n) => dot.classList.toggle("right", n < count));
    field.focus();
  };
  const tell = (text) => verdict.replaceChildren(...setMath(text));
  const answerOne = () => {
    const asked = exercises[0];
    const { name } = cellsById.get(asked.cell.id);
    const reading = readAnswer(field.value);
    if (!reading) return;
    if (reading.unreadable) {
      tell(say("unreadable", { cell: name, text: field.value, advice: say(`advice.${reading.unreadable}`) }));
      return;
    }
    const found = matchAnswer(reading, asked.right);
    if (found === "digits") {
      tell(say("check.digits", { places: SHEET.places }));
      return;
    }
    count = found ? count + 1 : 0;
    const wrong = found ? "" : `${name}: ${say("check.not-yet")}. ${findSlip(stage, asked, field.value, reading)}`;
    const verdicts = found ? [`✓ ${say("check.more.count", { count, all: IN_A_ROW })}`] : [`${wrong}${say("check.hint.answer", { value: format(asked.right) })}`];
    exercises.shift();
    if (count === IN_A_ROW || !exercises.length) {
      slippedStages.delete(stage.name);
      dialog.close();
      announce(count === IN_A_ROW ? say("check.more.done") : [...verdicts, say("check.more.end")].join(" "));
      return;
    }
    tell([...verdicts, ...(found ? [] : [say("check.more.again")])].join(" "));
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
  if (!phone.hidden) reserveRoom();
}

nextWrong.after(offers);
document.addEventListener("checked", () => {
  const found = markAll();
  const diagnoses = diagnoseStages(found);
  for (const stage of KEY.stages) {
    if (!found.marks[stage.name]?.some((each) => isUnexplained(each) && cellsById.get(each.id)?.mark)) continue;
    const slip = diagnoses.find((each) => each.stage === stage)?.slips[0];
    const known = slippedStages.get(stage.name);
    const exercises = known?.slip === slip && known?.exercises || listExercises(stage, slip);
    if (exercises.length) slippedStages.set(stage.name, { slip, exercises });
  }
  offerThreeMore();
});
