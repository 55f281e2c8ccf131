/* Marking by the rules that mark papers: each cell against the key, then against what follows from the student's own
   cells before it. All is worked with tokens as columns; a sheet in rows is turned at the door. */

const readMatrix = (rows) => mapCells((text) => readExact(text), rows);

/* Read a number of the key: whole, a fraction, -inf, or an irrational one with a power of ten. */
function readExact(text) {
  if (text === MINUS_INFINITY) return text;
  const [, units, digits = "", power = "0", bottom = "1"] = /^(-?\d+)(?:\.(\d+))?(?:e([+-]?\d+))?(?:\/(\d+))?$/.exec(text);
  const places = digits.length - Number(power);
  const top = BigInt(units + digits);
  const value = places < 0 ? fraction(top * whole10(-places)) : fraction(top, BigInt(bottom) * whole10(places));
  return text.includes("e") ? { ...value, isDecimal: true } : value;
}

const KEY = SHEET.key;
KEY.given = Object.fromEntries(Object.entries(KEY.given).map(([name, rows]) => [name, readMatrix(rows)]));
for (const stage of [KEY, KEY.others.exact, KEY.others.shifted].flatMap((way) => way?.stages ?? [])) {
  if (stage.key) stage.key = readMatrix(stage.key);
}
for (const stage of KEY.stages) stage.sheetFormula = stage.formula;
const KEY_MATRICES = { ...KEY.given, ...Object.fromEntries(KEY.stages.map((stage) => [stage.name, stage.key])) };

const MAX_DIGITS = 12;

/* Half a unit is near enough, and a whisker more: a tie may be rounded either way. */
const WHISKER = fraction(10n ** 9n + 1n, 2n * 10n ** 9n);

/* Of the different calculations that the key asks of a stage: with nine of ten nobody has saved work. */
const hasEnoughWork = (own, right) => 10 * own.length >= 9 * right.length;

/* To each wrong cell that stands alone there are so many right ones. */
const FEW_WRONG = 3;

/* The number is right, but not as it is written. */
const MEANT_NOTES = ["cut-off", "no-percent"];

/* Signs that people put where a mask hides a cell. */
const NO_ANSWERS = ["-", "−", "–", "×", "x"];

/* Digits before the point that are printed: of a whole number, and of one that has more after the point. */
const MAX_WHOLE_DIGITS = 10;
const MAX_DECIMAL_DIGITS = 6;

/* Return how many digits after the point an answer needs, and how many are compared: of a huge number the first two. */
function findDigitLimits(expected, places = SHEET.places) {
  const { top, bottom } = expected;
  const exponent = `${absolute(fraction(top / bottom)).top}`.length - 1;
  const isHuge = exponent >= (isWhole(expected) ? MAX_WHOLE_DIGITS : MAX_DECIMAL_DIGITS);
  return [isHuge ? 1 - exponent : places, MAX_DIGITS - exponent];
}

const findDistance = (a, b) => absolute(sum(a, negate(b)));
const unitOf = (places) => (places < 0 ? fraction(whole10(-places)) : fraction(1n, whole10(places)));

/* Of irrational numbers that add up to 1 the last of 40 digits may be off. */
function isSameNumber(value, expected) {
  if (!expected.isDecimal || !isFiniteNumber(value)) return isEqual(value, expected);
  const size = absolute(expected);
  return compare(findDistance(value, expected), product(unitOf(30), compare(size, ONE) < 0 ? ONE : size)) <= 0;
}

/* Say whether a number is the expected one to so many digits, half a unit and a whisker either way. */
const isNear = (value, expected, digits) =>
  compare(findDistance(value, expected), product(unitOf(digits), WHISKER)) <= 0;

/* Return "right", "digits" (right so far, but too few of them) or "". */
function matchAnswer({ value, places }, expected) {
  if (isSameNumber(value, expected)) return "right";
  if (!isFiniteNumber(value) || !isFiniteNumber(expected) || (places === null && !expected.isDecimal)) return "";
  const [needed, compared] = findDigitLimits(expected);
  /* zeros alone part 0.190 from 0.19, and 0.2 from 0.20 */
  const isPadded = places > needed ? divide(value, unitOf(needed)).bottom === 1n : value.top !== 0n && isNear(value, expected, needed);
  /* a fraction for an irrational number must be nearer */
  const digits = places === null ? Math.min(needed + 2, compared) : isPadded ? needed : Math.min(places, compared);
  if (!isNear(value, expected, digits)) return "";
  if (digits >= needed) return "right";
  return digits > 0 ? "digits" : "";
}

/* Return a decimal as one of the sheet's digits, where it has more. */
const limitPlaces = ({ value, places }) => ({ value, places: places === null ? null : Math.min(places, SHEET.places) });

/* Say whether a number agrees with one of which only the least and the most are known: a decimal may be rounded. */
function isInRange({ value, places }, low, high) {
  if (places === null || ![value, low, high].every(isFiniteNumber)) return false;
  if (!places) return compare(low, value) <= 0 && compare(value, high) <= 0;
  const [needed, compared] = findDigitLimits(high);
  const digits = Math.min(places, compared);
  if (digits < needed) return false;
  const room = product(unitOf(digits), WHISKER);
  return compare(sum(low, negate(room)), value) <= 0 && compare(value, sum(high, room)) <= 0;
}

/* Say whether a decimal is a number cut off, where it should have been rounded away from zero. */
function isCutOff({ value, places }, expected) {
  if (!places || !isFiniteNumber(value) || !isFiniteNumber(expected)) return false;
  const [needed, compared] = findDigitLimits(expected);
  if (places < needed || places > compared || isNegative(product(value, expected))) return false;
  const missing = sum(absolute(expected), negate(absolute(value)));
  return missing.top > 0n && compare(missing, unitOf(places)) < 0;
}

/* Return what follows from these numbers at a stage; null where it is the key, or in cells that cannot be worked. */
function findExpected({ formula }, matrices) {
  if (formula.reads.every((name) => isSameMatrix(matrices[name], KEY_MATRICES[name]))) return null;
  return workCells(formula, matrices);
}

const isUnexplained = ({ mark, note }) => mark === "wrong" && !note;

/* What is right, or follows by work of its own. */
const isCounted = ({ mark, note }) => mark === "correct" || (mark === "follows" && note !== "unworked");

/* Return what is left to do at a stage for whoever wrote something before that nobody can explain: the first cell of each
   calculation, and all cells that read such a number. Equal columns are worked once, products of zeros not at all, and
   one number times 1 is copied. */
function findWorkLeft(stage, matrices, suspects, copied) {
  const pack = (name) => matrices[name].map((row, i) => row.map((value, j) => ({
    value,
    source: `${name} ${copied.has(name) ? formatExact(value) : `${i} ${j}`}`,
    isSuspect: suspects.includes(name),
  })));
  const packed = Object.fromEntries(stage.formula.reads.map((name) => [name, pack(name)]));
  const isProduct = stage.form === "product";
  const worked = new Map();
  const touched = [];
  for (const { i, j } of listAskedPlaces(stage)) {
    const all = listParts(stage, packed, i, j).map((part) =>
      part.map((each) => ("source" in each ? each : { value: each, source: "", isSuspect: false })));
    if (all.flat().some(({ isSuspect }) => isSuspect)) touched.push(`${i} ${j}`);
    const parts = isProduct ? all.filter((part) => part.every(({ value }) => value.top !== 0n)) : all;
    const isCopied = isProduct && parts.length === 1 && parts[0].some(({ isSuspect, value }) => isSuspect && isEqual(value, ONE));
    if (!parts.length || isCopied) continue;
    /* several of the same numbers together are copied, wherever they came from; one may be alike by chance */
    const work = JSON.stringify(mapCells(({ value, source }) => (parts.length > 1 ? formatExact(value) : source), parts));
    if (!worked.has(work)) worked.set(work, `${i} ${j}`);
  }
  return { worked: [...worked.values()], touched };
}

/* Return which cells were only copied, where less was left to work than the key asks, and how much it was. */
function findUnworked(stage, line) {
  const { formula: { reads }, form } = stage;
  const suspects = reads.filter((name, n) => line.suspects.has(name) && !(form === "share" && n));
  if (!suspects.length) return { unworked: [] };
  const [own, right] = [line.written, KEY_MATRICES].map((matrices) => findWorkLeft(stage, matrices, suspects, line.suspects));
  const { worked, touched } = own;
  const unworked = hasEnoughWork(worked, right.worked) ? [] : touched.filter((place) => !worked.includes(place));
  return { unworked, left: worked.length };
}

/* Say whether wrong cells stand alone among right ones, or scores were scaled by a rule of the student's: one that
   keeps or turns their order. */
function isOfSomeRule({ form, formula, name }, cells, { written }) {
  if (FEW_WRONG * cells.filter(({ mark }) => mark === "wrong").length <= cells.filter(isCounted).length) return true;
  if (form !== "scale") return false;
  const [x, a] = [written[formula.reads[0]], written[name]];
  const asked = cells.filter(({ isPrinted }) => !isPrinted);
  const pairs = asked.map(({ i, j }) => [x[i][j], a[i][j]]).sort(([first], [second]) => compare(first, second));
  const steps = pairs.slice(1).map(([number, result], n) => {
    const [up, change] = [compare(number, pairs[n][0]), compare(result, pairs[n][1])];
    return up || !change ? change : NaN;
  });
  return steps.some(Boolean) && [1, -1].some((sign) => steps.every((step) => step * sign >= 0));
}

/* Where a cell stands with tokens as columns. */
const turnPlace = (row, column) => (KEY.is_rows ? [column, row] : [row, column]);

const listAskedPlaces = (stage) => stage.cells.map(({ row, column }) => {
  const [i, j] = turnPlace(row, column);
  return { i, j };
});

/* Mark all that is written as it stands: {id, mark, note, follows, reading} a cell; and the numbers gone on with. */
function markPlainly(texts) {
  const line = {
    written: { ...KEY.given },
    unrounded: { ...KEY.given },
    lowest: { ...KEY.given },
    highest: { ...KEY.given },
    astray: new Set(),
    suspects: new Set(),
  };
  const sets = [line.written, line.unrounded, line.lowest, line.highest];
  const marks = {};
  for (const stage of KEY.stages) {
    if (!stage.cells.length) {
      for (const matrices of sets) matrices[stage.name] = stage.key;
      continue;
    }
    const found = markStage(stage, texts, line);
    dropLonePercentages(found.cells);
    const explanations = findExplanations(gatherEvidence(stage, found.cells, [line.written, line.unrounded]));
    const explanation = explanations.find(({ isCredible }) => isCredible) ?? explanations[0];
    /* what is explained was neither cut off nor meant as a percentage */
    for (const cell of explanation?.isWhole ? found.cells : []) {
      if (MEANT_NOTES.includes(cell.note)) Object.assign(cell, { note: "", meant: null });
    }
    marks[stage.name] = found.cells;
    carry(stage, found, explanation, line, sets);
  }
  return { marks, written: line.written, unrounded: line.unrounded };
}

/* Take up what was written at a stage; where nothing was, what follows from before. */
function carry(stage, found, explanation, line, sets) {
  const rows = sets.map(() => stage.key.map((row) => [...row]));
  /* there a number may agree with the key by chance: a decimal may be any that is rounded to it */
  const isUnexplainedStage = found.cells.some(isUnexplained) && !explanation;
  for (const cell of found.cells) {
    const numbers = findNumbers(stage, cell, found, explanation?.value, isUnexplainedStage);
    rows.forEach((each, n) => {
      each[cell.i][cell.j] = numbers[n];
    });
  }
  sets.forEach((matrices, n) => {
    matrices[stage.name] = rows[n];
  });
  const comesFrom = (names) => stage.formula.reads.some((name) => names.has(name));
  const hasGaps = found.cells.some(({ mark }) => mark === "blank" || mark === "unreadable");
  const isOff = found.cells.some(({ mark }) => mark === "wrong" || mark === "follows");
  if (isOff || (hasGaps && comesFrom(line.astray))) line.astray.add(stage.name);
  const isStrange = found.cells.some(isUnexplained) && !explanation?.isCredible;
  if (found.unworked.length || (isStrange && !isOfSomeRule(stage, found.cells, line))) line.suspects.add(stage.name);
}

/* Take no number for a percentage where most that are wrong are none: 10 for 1/10 was divided the wrong way round. */
function dropLonePercentages(cells) {
  const wrong = cells.filter(({ mark }) => mark === "wrong");
  const shares = wrong.filter(({ note }) => note === "no-percent");
  if (2 * shares.length < wrong.length) for (const cell of shares) Object.assign(cell, { note: "", meant: null });
}

/* Return a number as written, as unrounded, the least and the most that it may be: 34.86 is 34.855 to 34.865. */
function findNumbers(stage, cell, found, explanation, isUnexplainedStage) {
  const { reading, note, i, j, key } = cell;
  const value = note === "no-percent" ? divide(reading.value, toNumber(100)) : reading?.value;
  if (!value || !(isFiniteNumber(value) || stage.form === "mask")) {
    const [low, high] = found.ranges ?? [];
    /* the worked cell is printed: whoever left the rest empty goes on with that number, or with their own */
    const written = cell.isPrinted ? key : found.fromWritten?.[i][j] ?? key;
    const unrounded = found.fromUnrounded?.[i][j] ?? key;
    return [written, unrounded, low?.[i][j] ?? found.fromWritten?.[i][j] ?? key, high?.[i][j] ?? unrounded];
  }
  const meant = findUnrounded(stage, cell, found, explanation);
  const ends = meant ? [value, meant] : [value];
  if (reading.places > 0) {
    const half = product(unitOf(reading.places), fraction(1n, 2n));
    const [low, high] = found.ranges && !isUnexplainedStage ? found.ranges.map((a) => a[i][j]) : [];
    const least = low ? largest([sum(value, negate(half)), low]) : null;
    const most = high ? smallest([sum(value, half), high]) : null;
    if (least && most && compare(least, most) <= 0) ends.push(least, most);
    else if (!meant || isUnexplainedStage) ends.push(sum(value, negate(half)), sum(value, half));
  }
  return [value, meant ?? value, smallest(ends), largest(ends)];
}

/* Return the number that a written one stands for, as a calculator would have held it; null where nobody knows. */
function findUnrounded(stage, { i, j, reading, meant }, { fromWritten, fromUnrounded }, explanation) {
  if (meant) return meant;
  const isMeant = (a) => a?.[i][j] && matchAnswer(limitPlaces(reading), a[i][j]) === "right";
  const fitting = [explanation, fromUnrounded ?? stage.key, stage.key, fromWritten].find(isMeant);
  if (fitting) return fitting[i][j];
  return reading.places ? null : reading.value;
}

function markStage(stage, texts, line) {
  const [fromWritten, fromUnrounded] = [findExpected(stage, line.written), findExpected(stage, line.unrounded)];
  const { lowest, highest } = line;
  const isKnown = stage.formula.reads.every((name) => isSameMatrix(lowest[name], highest[name]));
  const ranges = isKnown ? null : workRanges(stage.formula, lowest, highest);
  const hasCorrectInputs = !stage.formula.reads.some((name) => line.astray.has(name));
  const { unworked, left } = findUnworked(stage, line);
  const isWritten = (text) => !["", KEY.unasked].includes((text ?? "").trim());
  const isBegun = stage.cells.some(({ id }) => isWritten(texts[id]));
  const cells = stage.cells.map(({ id, row, column, printed }) => {
    const [i, j] = turnPlace(row, column);
    const text = printed && isBegun && !(texts[id] ?? "").trim() ? printed : texts[id] ?? "";
    const key = stage.key[i][j];
    const followed = [fromWritten, fromUnrounded].map((a) => a?.[i][j]).filter(Boolean);
    /* what was written and what it stands for may be one number: it counts once, as it was written */
    const candidates = followed.filter((value, n) => !isSameNumber(value, key) && !(n && isEqual(value, followed[0])));
    const isAnswer = isWritten(text) && !(key === MINUS_INFINITY && NO_ANSWERS.includes(text.trim()));
    const reading = isAnswer ? readAnswer(text) : null;
    const make = (mark, note = "", follows = null, meant = null) =>
      ({ id, i, j, text, key, reading, mark, note, follows, meant, left, isPrinted: Boolean(printed) });
    const isUnworked = unworked.includes(`${i} ${j}`);
    const makeFollowing = (follows) =>
      hasCorrectInputs ? make("correct", "rounded", follows) : make("follows", isUnworked ? "unworked" : "", follows);
    if (!reading) return make("blank");
    if (reading.unreadable) return make("unreadable", reading.unreadable);
    const match = matchAnswer(reading, key);
    /* what is copied is the key's by chance */
    const isCopy = isUnworked && !(followed.length && matchAnswer(reading, followed[0]) !== "right");
    if (match === "right") return isCopy ? make("follows", "unworked") : make("correct");
    let meant = match === "digits" ? key : null;
    const limited = limitPlaces(reading);
    for (const candidate of candidates) {
      const own = matchAnswer(limited, candidate);
      if (own === "right") return makeFollowing(candidate);
      if (own === "digits") meant ??= candidate;
    }
    const follows = fromWritten?.[i][j] ?? null;
    const [low, high] = ranges ? ranges.map((a) => a[i][j]) : [];
    if (!meant && low && high && isInRange(limited, low, high)) return makeFollowing(follows);
    if (meant) return make("wrong", "digits", follows, meant);
    return make("wrong", ...noteMisspelling(stage, reading, [key, ...candidates], follows));
  });
  return { cells, fromWritten, fromUnrounded, ranges, unworked };
}

/* Note where a wrong number is the right one, but cut off instead of rounded, or a percentage without its %. */
function noteMisspelling(stage, reading, rights, follows) {
  const cut = rights.find((right) => isCutOff(reading, right));
  if (cut) return ["cut-off", follows, cut];
  if (stage.form !== "share" || reading.places === null) return ["", follows];
  const share = { value: divide(reading.value, toNumber(100)), places: reading.places + 2 };
  const meant = rights.find((right) => matchAnswer(share, right) === "right");
  return meant ? ["no-percent", follows, meant] : ["", follows];
}
