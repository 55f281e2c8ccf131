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
for (const stage of KEY.stages) stage.key = readMatrix(stage.key);
const KEY_MATRICES = { ...KEY.given, ...Object.fromEntries(KEY.stages.map((stage) => [stage.name, stage.key])) };

const MAX_DIGITS = 12;

/* Digits before the point that are printed: of a whole number, and of one that has more after the point. */
const MAX_WHOLE_DIGITS = 10;
const MAX_DECIMAL_DIGITS = 6;

/* Return how many digits after the point an answer needs, and how many are compared: of a huge number the first two. */
function findDigitLimits(expected) {
  const { top, bottom } = expected;
  const exponent = `${absolute(fraction(top / bottom)).top}`.length - 1;
  const isHuge = exponent >= (isWhole(expected) ? MAX_WHOLE_DIGITS : MAX_DECIMAL_DIGITS);
  return [isHuge ? 1 - exponent : SHEET.places, MAX_DIGITS - exponent];
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
  compare(findDistance(value, expected), product(unitOf(digits), fraction(10n ** 9n + 1n, 2n * 10n ** 9n))) <= 0;

/* Return "right", "digits" (right so far, but too few of them) or "". */
function matchAnswer({ value, places }, expected) {
  if (isSameNumber(value, expected)) return "right";
  if (!isFiniteNumber(value) || !isFiniteNumber(expected) || (places === null && !expected.isDecimal)) return "";
  const [needed, compared] = findDigitLimits(expected);
  /* of 0.190, the last zero was added to what was rounded */
  const isPadded = places > needed && divide(value, unitOf(needed)).bottom === 1n;
  const digits = places === null || isPadded ? needed : Math.min(places, compared);
  if (!isNear(value, expected, digits)) return "";
  if (digits >= needed) return "right";
  return digits > 0 ? "digits" : "";
}

/* Return a decimal as one of the sheet's digits, where it has more. */
const limitPlaces = ({ value, places }) => ({ value, places: places === null ? null : Math.min(places, SHEET.places) });

/* Say whether a matrix leaves nothing to compute: all zeros, all alike, the identity. */
function isTrivial(a) {
  const values = a.flat();
  if (values.every((value) => isEqual(value, values[0]))) return values.length > 1;
  return a.length === a[0].length && a.every((row, i) => row.every((value, j) => isEqual(value, i === j ? ONE : ZERO)));
}

/* Return what follows from these numbers at a stage, null where it is the key or nothing can be worked, and whether they
   leave nothing to compute. */
function findExpected(stage, matrices) {
  const inputs = stage.inputs.map((name) => matrices[name]);
  const keys = stage.inputs.map((name) => KEY_MATRICES[name]);
  if (inputs.every((a, i) => isSameMatrix(a, keys[i]))) return { expected: null, isTrivial: false };
  return {
    expected: stage.operation.type === "Power" && isTooLarge(inputs[0]) ? null : tryToWork(() => apply(stage, inputs)),
    isTrivial: inputs.some((a, i) => isTrivial(a) && !isTrivial(keys[i])),
  };
}

/* Return what comes out; null where it would be divided by 0. */
function tryToWork(work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/* Where a cell stands with tokens as columns. */
const turnPlace = (row, column) => (KEY.is_rows ? [column, row] : [row, column]);

/* Mark all that is written, by id of the cell: {mark, note, follows, reading} each; and the numbers gone on with. */
function markSheet(texts) {
  const written = { ...KEY.given };
  const unrounded = { ...KEY.given };
  const marks = {};
  for (const stage of KEY.stages) {
    if (!stage.cells.length) {
      written[stage.name] = unrounded[stage.name] = stage.key;
      continue;
    }
    const found = markStage(stage, texts, written, unrounded, marks);
    const isRounded = ({ mark, reading }) => mark === "wrong" && reading.places;
    const explanation = found.cells.some(isRounded) ? findExplanations(stage, found.cells, [written, unrounded])[0] : null;
    marks[stage.name] = found.cells;
    written[stage.name] = replaceCells(stage, found.cells, ({ reading }) => reading?.value);
    unrounded[stage.name] = replaceCells(stage, found.cells, (cell) => findUnrounded(stage, cell, found, explanation?.value));
  }
  return { marks, written, unrounded };
}

function replaceCells(stage, cells, choose) {
  const rows = stage.key.map((row) => [...row]);
  for (const cell of cells) {
    const value = choose(cell);
    if (value && (isFiniteNumber(value) || stage.operation.type === "Mask")) rows[cell.i][cell.j] = value;
  }
  return rows;
}

/* Return the number that a written one stands for, as a calculator would have held it. */
function findUnrounded(stage, { i, j, reading }, { fromWritten, fromUnrounded }, explanation) {
  if (!reading?.value) return null;
  const isMeant = (a) => a && matchAnswer(limitPlaces(reading), a[i][j]) === "right";
  const meant = [explanation, fromUnrounded ?? stage.key, stage.key, fromWritten].find(isMeant);
  return meant ? meant[i][j] : reading.value;
}

function markStage(stage, texts, written, unrounded, marks) {
  const { expected: fromWritten, isTrivial: hasTrivialInputs } = findExpected(stage, written);
  const { expected: fromUnrounded } = findExpected(stage, unrounded);
  const inputs = stage.inputs.flatMap((name) => marks[name] ?? []);
  const hasCorrectInputs = inputs.every(({ mark }) => mark === "correct" || mark === "blank");
  const isWritten = (text) => !["", KEY.unasked].includes((text ?? "").trim());
  const isBegun = stage.cells.some(({ id }) => isWritten(texts[id]));
  const cells = stage.cells.map(({ id, row, column, printed }) => {
    const [i, j] = turnPlace(row, column);
    const text = printed && isBegun ? printed : texts[id] ?? "";
    const key = stage.key[i][j];
    const candidates = [fromWritten, fromUnrounded].filter(Boolean).map((a) => a[i][j]).filter((value) => !isSameNumber(value, key));
    const reading = isWritten(text) ? readAnswer(text) : null;
    const make = (mark, note = "", follows = null) => ({ id, i, j, text, key, reading, mark, note, follows, isPrinted: Boolean(printed) });
    if (!reading) return make("blank");
    if (reading.unreadable) return make("unreadable", reading.unreadable);
    const match = matchAnswer(reading, key);
    if (match === "right") return make("correct");
    let hasTooFew = match === "digits";
    for (const candidate of candidates) {
      const own = matchAnswer(limitPlaces(reading), candidate);
      hasTooFew ||= own === "digits";
      if (own !== "right") continue;
      if (hasCorrectInputs) return make("correct", "rounded", candidate);
      return hasTrivialInputs ? make("wrong", "trivial", candidate) : make("follows", "", candidate);
    }
    return make("wrong", hasTooFew ? "digits" : "", fromWritten?.[i][j] ?? null);
  });
  return { cells, fromWritten, fromUnrounded };
}

/* Say whether a number is the expected one: exactly, or a decimal to the digits written, the sheet's at least. */
function isEvidence({ value, places }, expected) {
  if (isSameNumber(value, expected)) return true;
  if (!isFiniteNumber(value) || !isFiniteNumber(expected) || (places === null && !expected.isDecimal)) return false;
  const [needed, compared] = findDigitLimits(expected);
  return isNear(value, expected, places === null ? needed : Math.min(Math.max(places, needed), compared));
}

/* What a student may have worked from: numbers as written, and as a calculator holds them. */
function listContexts(stage, valueSets) {
  const earlier = KEY.stages.slice(0, KEY.stages.indexOf(stage));
  const readsExponents = ({ operation }) => operation.type === "Power" || operation.type === "Mask";
  const isWritable = (matrices) =>
    KEY.stages.every((each) => !readsExponents(each) || !matrices[each.inputs[0]] || !isTooLarge(matrices[each.inputs[0]]));
  const known = valueSets.map((matrices) =>
    Object.fromEntries([...Object.keys(KEY.given), ...earlier.map(({ name }) => name)].map((name) => [name, matrices[name]])));
  return known.filter(isWritable).map((matrices) => makeSlipContext(stage, matrices));
}

/* Return every mistake that gives all that was written at a stage, with what it gives: slips, or what any stage shows. */
function findExplanations(stage, cells, valueSets) {
  const wrong = cells.filter(({ mark, note }) => mark === "wrong" && !note);
  if (!wrong.length) return [];
  const readings = cells.filter((cell) => cell.reading?.value && cell.note !== "digits" && !(cell.isPrinted && cell.mark === "correct"));
  const fits = (a) => a && shape(a) === shape(stage.key) && readings.every(({ i, j, reading }) => isEvidence(reading, a[i][j]));
  const contexts = listContexts(stage, valueSets);
  const found = new Map();
  for (const slip of stage.slips) {
    for (const context of contexts) {
      const value = tryToWork(() => SLIPS[slip](context));
      if (fits(value)) found.set(slip, value);
    }
  }
  const list = () => [...found].map(([slip, value]) => ({ slip, value }));
  if (found.size || wrong.length === 1) return list();
  const rights = [stage.key, ...contexts.map((context) => tryToWork(() => context.redo(...context.inputs))).filter(Boolean)];
  const turned = rights.map(transpose).find((a, n) => !isSameMatrix(a, rights[n]) && fits(a));
  if (turned) found.set("transposed", turned);
  const exchanged = rights.flatMap(listExchanges).find(({ isAlongColumns, lines, value }) =>
    lines.every((line) => wrong.some(({ i, j }) => line === (isAlongColumns ? j : i))) && fits(value));
  if (exchanged) found.set("rows-exchanged", exchanged.value);
  return list();
}

/* Return the matrix with every two columns, and with every two rows, exchanged. */
function listExchanges(a) {
  const exchange = (lines, first, second) => lines.map((line, at) => lines[{ [first]: second, [second]: first }[at] ?? at]);
  return [!KEY.is_rows, KEY.is_rows].flatMap((isAlongColumns) => {
    const lines = isAlongColumns ? transpose(a) : a;
    return lines.flatMap((_, second) => lines.slice(0, second).map((_, first) => {
      const value = exchange(lines, first, second);
      return { isAlongColumns, lines: [first, second], value: isAlongColumns ? transpose(value) : value };
    }));
  });
}
