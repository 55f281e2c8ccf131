/* Why a slip is one, said where it was made, with the student's own numbers. */

const RAISED_SIGNS = Object.fromEntries([..."0123456789−"].map((sign, at) => [sign, "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"[at]]));

function writeNumber(value) {
  const text = value.isDecimal ? localize(formatRounded(value, SHEET.places)) : formatExact(value);
  return text.replace("-", "−").replace("inf", "∞");
}

function writeFactor(value) {
  const text = writeNumber(value);
  return /^−|\//.test(text) ? `(${text})` : text;
}

function writePower(exponent) {
  const text = writeNumber(exponent);
  const raised = [...text].map((sign) => RAISED_SIGNS[sign]);
  return KEY.rules.base + (raised.every(Boolean) ? raised.join("") : `^(${text})`);
}

function writeQuotient(score) {
  const quotient = divide(score, toNumber(KEY.rules.divisor));
  return quotient.bottom === 2n || quotient.bottom === 5n || quotient.bottom === 10n
    ? localize(formatRounded(quotient, 1)).replace("-", "−")
    : writeNumber(quotient);
}

/* What is worked from one number or two that a reason can name. */
const NAMED_FORMS = ["scale", "power", "largest", "share", "added"];

/* Return what a reason names of a cell: the number it is made from, and what becomes of it. */
function nameNumbers(stage, { i, j, text }, matrices) {
  const names = { wrong: text.trim().replace("-", "−"), word: KEY.words[j] };
  const { form, formula } = stage;
  if (!NAMED_FORMS.includes(form)) return names;
  const [entry, total = entry] = listParts(stage, matrices, i, j).flat();
  Object.assign(names, { entry: writeNumber(entry), total: writeNumber(total), number: writeFactor(entry), second: writeFactor(total) });
  if (!isFiniteNumber(entry) || (form !== "scale" && form !== "power")) return names;
  if (form === "scale") Object.assign(names, { half: KEY.rules.is_rounded_down ? writeQuotient(entry) : "", result: writeNumber(workCell(formula, matrices, i, j)) });
  return Object.assign(names, {
    magnitude: writeNumber(dropSign(entry)),
    power: writePower(entry),
    positive: writePower(dropSign(entry)),
    first_power: writePower(ONE),
  });
}

/* Return what explains the wrong cells of a sheet, by id: that a slip was made, surely or perhaps, and why it is one. */
function explainSlips({ marks, written, unrounded }) {
  const found = {};
  const isUnknown = ({ mark }) => mark === "blank" || mark === "unreadable";
  for (const stage of KEY.stages.filter(({ name }) => marks[name])) {
    const cells = marks[stage.name];
    const wrong = cells.filter(({ mark, note }) => mark === "wrong" && !note);
    if (!wrong.length) continue;
    /* nobody knows what was worked from, so nobody is told of a slip */
    const { reads } = stage.formula;
    const missing = Object.fromEntries(reads.map((name) => [name, placeMissing(name, (marks[name] ?? []).filter(isUnknown))]));
    if (wrong.some(({ i, j }) => listParts(stage, missing, i, j).flat().includes(true))) continue;
    const others = cells.filter((cell) => !wrong.includes(cell));
    const slips = findExplanations(stage, cells, [written, unrounded]).map(({ slip }) => slip);
    if (!slips.length && wrong.length === 1 && others.length && others.every(({ mark }) => mark === "correct")) slips.push("single-cell");
    for (const cell of wrong) {
      const reasons = slips.map((slip) => fillReason(stage.reasons[slip].why, nameNumbers(stage, cell, written)));
      if (!slips.length || new Set(reasons).size > 1) continue;
      const isSure = slips.length === 1 && (wrong.length > 1 || slips[0] === "single-cell")
        && !(slips[0] === "one-hot" && isRoundedToWhole(stage, cells, [written, unrounded]));
      const { surely, perhaps } = stage.reasons[slips[0]];
      found[cell.id] = `${isSure ? surely : perhaps} ${reasons[0]}`;
    }
  }
  return found;
}

/* Return a matrix that says which of its cells are missing. */
const placeMissing = (name, cells) =>
  KEY_MATRICES[name].map((row, i) => row.map((_, j) => cells.some((cell) => cell.i === i && cell.j === j)));

const fillReason = (text, names) => text.replace(/\{(\w+)\}/g, (_, name) => names[name] ?? "");
