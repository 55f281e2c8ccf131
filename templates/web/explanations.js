/* What may have given the numbers of a stage: slips, made throughout, in a line, or two together; or what any stage
   shows. */

/* A slip that was made in a part of a stage shows in so many cells, or nobody knows of it; and it is sure where so many
   different numbers show it. */
const MIN_CELLS_OF_PART = 2;
const MIN_NUMBERS_OF_PART = 3;

/* To each of several cells that are wrong for another reason a slip gives so many; and one that is sure so many. */
const FEW_EXCEPTIONS = 2;
const SURE_SHARE = 8;

/* Say whether a number is the expected one: exactly, or a decimal to the digits written, the sheet's at least. */
function isEvidence({ value, places }, expected, asked = SHEET.places) {
  if (isSameNumber(value, expected)) return true;
  if (!isFiniteNumber(value) || !isFiniteNumber(expected) || (places === null && !expected.isDecimal)) return false;
  const [needed, compared] = findDigitLimits(expected, asked);
  return isNear(value, expected, Math.min(places === null ? needed + 2 : Math.max(places, needed), compared));
}

const isGiven = ({ i, j, reading }, a) => isEvidence(reading, a[i][j]);

/* What a student may have worked from: numbers as written, and as a calculator holds them. */
function listContexts(stage, valueSets) {
  const earlier = KEY.stages.slice(0, KEY.stages.indexOf(stage));
  const exponents = KEY.stages.filter(({ form }) => form === "power" || form === "mask").map(({ formula }) => formula.reads[0]);
  const isWritable = (matrices) => exponents.every((name) => !matrices[name] || !isTooLarge(matrices[name]));
  const known = valueSets.map((matrices) =>
    Object.fromEntries([...Object.keys(KEY.given), ...earlier.map(({ name }) => name)].map((name) => [name, matrices[name]])));
  return known.filter(isWritable).map((matrices) => makeContext(stage, matrices));
}

/* Return what was written at a stage, and what it may have been worked from; of passed cells nobody knows that. What is
   nearly right, and what is printed, is evidence for nothing. */
function gatherEvidence(stage, cells, valueSets, passed = []) {
  const known = cells.filter((cell) => !passed.includes(cell));
  const wrong = known.filter(isUnexplained);
  const readings = known.filter((cell) => cell.reading?.value && cell.note !== "digits" && !(cell.isPrinted && cell.mark === "correct"));
  const contexts = wrong.length ? listContexts(stage, valueSets) : [];
  const slips = stage.slips.flatMap((slip) => contexts.map((context) => ({ slip: slip.id, value: workSlip(slip, context) })));
  /* what follows in each context */
  const own = contexts.map((context) => context.own).filter(Boolean);
  return { stage, wrong, readings, own, rights: [stage.key, ...own], slips: slips.filter(({ value }) => value) };
}

/* Keep one of each slip: from unrounded numbers where these give it too. */
const keepLast = (found) => [...new Map(found.map((each) => [each.slip, each])).values()];

const listSlipsOfShape = ({ slips, readings }, size) =>
  keepLast(slips.filter(({ value }) => shape(value) === size && readings.every((cell) => isGiven(cell, value))));

/* Return what explains the wrong cells, the plainest that there is: one mistake that gives all that was written; else
   one that was made in a line, or throughout but for a few cells; else two that were made together; else one that
   gives these cells alone. Each with what it gives, and the cells that it explains. */
function findExplanations(evidence) {
  const { stage, wrong, readings, rights } = evidence;
  if (!wrong.length) return [];
  const explainAll = (found) => found.map((each) => ({ ...each, cells: wrong, isWhole: true, isSure: true, isCredible: true }));
  const size = shape(stage.key);
  const everywhere = listSlipsOfShape(evidence, size);
  if (everywhere.length || wrong.length === 1) return explainAll(everywhere);
  const fits = (a) => shape(a) === size && readings.every((cell) => isGiven(cell, a));
  const turned = rights.map(transpose).find((a, n) => !isSameMatrix(a, rights[n]) && fits(a));
  const exchanges = rights.flatMap(listExchanges).filter(({ isAlongColumns, lines, value }) =>
    lines.every((line) => wrong.some(({ i, j }) => line === (isAlongColumns ? j : i))) && fits(value));
  const exchanged = exchanges.findLast(({ isAlongColumns, lines }) =>
    isAlongColumns === exchanges[0].isAlongColumns && lines.join() === exchanges[0].lines.join());
  const moved = [{ slip: "transposed", value: turned }, { slip: "rows-exchanged", value: exchanged?.value }];
  if (turned || exchanged) return explainAll(moved.filter(({ value }) => value));
  const given = evidence.slips.filter(({ value }) => shape(value) === size)
    .map((each) => ({ ...each, given: new Set(readings.filter((cell) => isGiven(cell, each.value))) }));
  const all = given.map((each) => findPart(evidence, each)).filter(Boolean);
  /* a few zeros and ones here and there may be anything */
  const parts = all.some(({ isCredible }) => isCredible) ? all.filter(({ isCredible }) => isCredible) : all;
  const best = parts.filter(({ cells }) => parts.every((other) => other.cells.length <= cells.length));
  const sure = keepLast(best.filter(({ isSure }) => isSure));
  if (sure.length) return sure;
  const pair = findPair(evidence, given);
  return pair.length ? pair : keepLast(best);
}

/* Count the different numbers that a mistake gives in some cells. */
const countNumbers = (a, cells) => new Set(cells.map(({ i, j }) => formatExact(a[i][j]))).size;

/* Return in which part of the stage a slip may have been made; null where it gives too little of it. */
function findPart({ wrong, readings }, { slip, value, given }) {
  const cells = wrong.filter((cell) => given.has(cell));
  if (cells.length < MIN_CELLS_OF_PART) return null;
  const isShown = countNumbers(value, cells) >= MIN_NUMBERS_OF_PART;
  const kept = readings.filter((cell) => !wrong.includes(cell) && !given.has(cell));
  const others = wrong.length - cells.length;
  if (others) {
    const exceptions = others + kept.length;
    const isRestAlike = FEW_WRONG * exceptions <= readings.length - exceptions;
    const isThroughout = isRestAlike && (exceptions === 1 || FEW_EXCEPTIONS * exceptions <= cells.length);
    const isSure = isShown && SURE_SHARE * exceptions <= cells.length;
    return isThroughout ? { slip, value, cells, isSure, isCredible: true } : null;
  }
  const isInLine = ["i", "j"].some((side) => {
    const isThere = (cell) => cell[side] === wrong[0][side];
    return wrong.every(isThere) && !readings.every(isThere) && !kept.some(isThere);
  });
  return { slip, value, cells, isSure: isInLine && isShown, isCredible: isInLine || isShown };
}

/* Return two slips that were made together, each in cells of its own; not surely where it may be others. */
function findPair({ wrong, readings, rights }, given) {
  const found = new Map();
  const others = readings.filter((cell) => !wrong.includes(cell));
  const hasOwn = (a, b) => wrong.some((cell) => a.given.has(cell) && !b.given.has(cell));
  given.forEach((one, n) => given.slice(n + 1).forEach((two) => {
    if (one.slip === two.slip || !hasOwn(one, two) || !hasOwn(two, one)) return;
    if (!wrong.every((cell) => one.given.has(cell) || two.given.has(cell))) return;
    /* who makes both makes each wherever it shows */
    const isKept = (right) => others.every(({ i, j }) => [one, two].every(({ value }) => isEqual(value[i][j], right[i][j])));
    if (!rights.some(isKept)) return;
    const shares = [one, two].map(({ slip, value }, at) =>
      ({ slip, value, cells: wrong.filter((cell) => one.given.has(cell) !== Boolean(at)) }));
    const isSure = shares.every(({ value, cells }) => countNumbers(value, cells) > 1);
    found.set(`${one.slip} ${two.slip}`, shares.map((share) => ({ ...share, isSure, isCredible: true })));
  }));
  const [pair = []] = found.values();
  return found.size > 1 ? pair.map((share) => ({ ...share, isSure: false })) : pair;
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
