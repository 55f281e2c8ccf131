/* Why a slip is one, said where it was made, with the student's own numbers. */

const RAISED_SIGNS = Object.fromEntries([..."0123456789−"].map((sign, at) => [sign, "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"[at]]));

/* Of a fraction that ends so many decimals are written for who works in them; of a longer one, as a calculator has it,
   some of them. */
const MAX_DECIMALS = 12;
const MAX_TYPED_DECIMALS = 60;
const ROUNDED_DECIMALS = 6;

const endsWithin = (value, places) => divide(value, unitOf(places)).bottom === 1n;

function writeNumber(value, inDecimals = false) {
  const write = (places) => localize(formatRounded(value, places));
  const isDecimal = isFiniteNumber(value) && (value.isDecimal || (inDecimals && value.bottom > 1n && endsWithin(value, MAX_TYPED_DECIMALS)));
  const text = !isDecimal ? formatExact(value)
    : value.isDecimal ? write(SHEET.places)
    : endsWithin(value, MAX_DECIMALS) ? write(MAX_DECIMALS).replace(/0+$/, "") : write(ROUNDED_DECIMALS);
  return text.replace("-", "−").replace("inf", "∞");
}

const putInBrackets = (text) => (/^−|\//.test(text) ? `(${text})` : text);

function raiseText(text) {
  const raised = [...text].map((sign) => RAISED_SIGNS[sign]);
  return KEY.rules.base + (raised.every(Boolean) ? raised.join("") : text.includes("/") ? `^(${text})` : `^${text}`);
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
function nameNumbers(stage, { i, j, text }, matrices, inDecimals) {
  const names = { wrong: text.trim().replace("-", "−"), word: KEY.words[j] };
  const { form, formula } = stage;
  if (!NAMED_FORMS.includes(form)) return names;
  const write = (value) => writeNumber(value, inDecimals);
  const [value, last = value] = listParts(stage, matrices, i, j).flat();
  const [entry, total] = [value, last].map(write);
  Object.assign(names, { entry, total, number: putInBrackets(entry), second: putInBrackets(total) });
  if (!isFiniteNumber(value) || (form !== "scale" && form !== "power")) return names;
  if (form === "scale") Object.assign(names, { half: KEY.rules.is_rounded_down ? writeQuotient(value) : "", result: write(workCell(formula, matrices, i, j)) });
  const magnitude = write(dropSign(value));
  return Object.assign(names, { magnitude, power: raiseText(entry), positive: raiseText(magnitude), first_power: raiseText("1") });
}

/* So few numbers are no more than a hint where cells of the stage are empty. */
const FEW_NUMBERS = 2;

const isUnknown = ({ mark }) => mark === "blank" || mark === "unreadable";
const isTypedDecimal = ({ reading, text }) => reading?.value && /[.,]\d/.test(text);

/* Return what explains the wrong cells of a sheet, by id: that a slip was made, surely or perhaps, and why it is one. */
function explainSlips(found) {
  const reasons = {};
  for (const { stage, slips, explained, isSure, isInDecimals } of diagnoseStages(found)) {
    for (const cell of explained) {
      const numbers = nameNumbers(stage, cell, found.written, isInDecimals(cell));
      const whys = slips.map((slip) => fillReason(stage.reasons[slip].why, numbers));
      if (new Set(whys).size > 1) continue;
      const { surely, perhaps } = stage.reasons[slips[0]];
      reasons[cell.id] = `${isSure ? surely : perhaps} ${whys[0]}`;
    }
  }
  return reasons;
}

/* Return which slips may have given which wrong cells, stage by stage. */
function diagnoseStages({ marks, written, unrounded }) {
  return KEY.stages.filter(({ name }) => marks[name]?.some(isUnexplained)).flatMap((stage) => {
    const cells = marks[stage.name];
    const { reads } = stage.formula;
    const place = (isChosen) => Object.fromEntries(reads.map((name) => [name, placeCells(name, (marks[name] ?? []).filter(isChosen))]));
    const comesFrom = (chosen, { i, j }) => listParts(stage, chosen, i, j).flat().includes(true);
    const [missing, decimals] = [isUnknown, isTypedDecimal].map(place);
    /* nobody knows what these were worked from, so nobody is told of a slip there */
    const passed = cells.filter((cell) => comesFrom(missing, cell));
    const hasRightInputs = reads.every((name) => (marks[name] ?? []).every(({ mark }) => mark === "correct" || mark === "blank"));
    const evidence = gatherEvidence(stage, cells, [written, unrounded], passed);
    const isInDecimals = (cell) => KEY.in_decimals || isTypedDecimal(cell) || comesFrom(decimals, cell);
    return diagnose(evidence, cells, hasRightInputs).map((each) => ({ ...each, stage, isInDecimals }));
  });
}

/* Return which slips may have given which of the wrong cells, and whether that is sure. */
function diagnose(evidence, cells, hasRightInputs) {
  const { wrong, readings } = evidence;
  if (!wrong.length || (!hasRightInputs && wrong.every((cell) => isOffByRounding(cell, evidence)))) return [];
  const found = findExplanations(evidence);
  if (!found.length && isOnlyWrong(evidence, cells)) return [{ slips: ["single-cell"], explained: wrong, isSure: true }];
  const isScarce = cells.some(isUnknown) && readings.length <= FEW_NUMBERS;
  const alike = new Map();
  for (const each of found.length ? found : findSlipsInCorner(evidence)) {
    const places = each.cells.map(({ id }) => id).join();
    alike.set(places, [...(alike.get(places) ?? []), each]);
  }
  return [...alike.values()].map((each) => {
    const [{ slip, cells: explained, isSure }] = each;
    const isOne = each.length === 1 && isSure && explained.length > 1;
    const isOtherwise = isScarce || (slip === "one-hot" && isRoundedToWhole(evidence));
    return { slips: each.map((one) => one.slip), explained, isSure: isOne && !isOtherwise };
  });
}

/* Say whether a decimal is so near to what follows that unrounded numbers before it may have given it. */
const isOffByRounding = ({ i, j, text, reading }, { own }) => !text.includes("/")
  && own.some((a) => isEvidence({ value: reading.value, places: SHEET.places - 1 }, a[i][j], SHEET.places - 1));

/* Say whether all that was written is right but for its decimals: 1 and 0 for 0.9 and 0.1. */
const isRoundedToWhole = ({ readings, rights }) => rights.some((a) =>
  readings.every(({ i, j, reading }) => isEvidence({ value: reading.value, places: 0 }, a[i][j], 0)));

/* Say whether all cells but one are right; the key where something else follows tells of more. */
const isOnlyWrong = ({ wrong, readings, own }, cells) => wrong.length === 1 && readings.length > 1
  && !cells.some(({ note }) => note === "unworked")
  && readings.every((cell) => cell.mark !== "correct" || cell.note || own.some((a) => isGiven(cell, a)));

/* Return the slips whose smaller result was written into a corner of the stage, the other cells left empty. */
function findSlipsInCorner(evidence) {
  const { stage, wrong, readings } = evidence;
  const corner = ["i", "j"].map((side) => 1 + Math.max(...readings.map((cell) => cell[side]))).join(" ");
  const found = corner === shape(stage.key) ? [] : listSlipsOfShape(evidence, corner);
  return found.map((each) => ({ ...each, cells: wrong, isSure: true }));
}

/* Return a matrix that says which of its cells are these. */
const placeCells = (name, cells) =>
  KEY_MATRICES[name].map((row, i) => row.map((_, j) => cells.some((cell) => cell.i === i && cell.j === j)));

const fillReason = (text, names) => text.replace(/\{(\w+)\}/g, (_, name) => names[name] ?? "");
