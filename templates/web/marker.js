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

/* Half a unit is near enough, and a whisker more: a tie may be rounded either way. */
const WHISKER = fraction(10n ** 9n + 1n, 2n * 10n ** 9n);

/* Less than a third of the key's numbers that are not all alike, or not 0, leaves nearly nothing to do. */
const NEAR_TRIVIAL_SHARE = 3;

/* Of what is left to work: 0 is nothing, 1 what comes from nowhere. */
const FIRST_LABEL = 2;

/* The number is right, but not as it is written. */
const MEANT_NOTES = ["cut-off", "no-percent"];

/* Signs that people put where a mask hides a cell. */
const NO_ANSWERS = ["-", "−", "–", "×", "x"];

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
  compare(findDistance(value, expected), product(unitOf(digits), WHISKER)) <= 0;

/* Return "right", "digits" (right so far, but too few of them) or "". */
function matchAnswer({ value, places }, expected) {
  if (isSameNumber(value, expected)) return "right";
  if (!isFiniteNumber(value) || !isFiniteNumber(expected) || (places === null && !expected.isDecimal)) return "";
  const [needed, compared] = findDigitLimits(expected);
  /* zeros alone part 0.190 from 0.19, and 0.2 from 0.20 */
  const isPadded = places > needed ? divide(value, unitOf(needed)).bottom === 1n : value.top !== 0n && isNear(value, expected, needed);
  const digits = places === null || isPadded ? needed : Math.min(places, compared);
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

/* Label every number as worked by itself: nobody made it up. */
const labelEachCell = (a) => a.map((row, i) => row.map((_, j) => FIRST_LABEL + i * row.length + j));

/* Label numbers of which nobody knows how they came about: alike where they are equal, 0 where they are. */
function labelByValue(a, asked) {
  const numbers = new Map();
  const labels = a.map((row) => row.map(() => 0));
  for (const { i, j } of asked) {
    const text = formatExact(a[i][j]);
    if (text === "0") continue;
    if (!numbers.has(text)) numbers.set(text, numbers.size + FIRST_LABEL);
    labels[i][j] = numbers.get(text);
  }
  return labels;
}

/* Return what is left to do at a stage for whoever made up one of its inputs: a label for every cell, alike where they are
   worked from the same numbers; the first cell of each; and all that read a number that was made up. Equal columns
   are worked once, zeros not at all, and a product with a single 1 is copied. */
function findWorkLeft(stage, matrices, labels, suspects) {
  const pack = (name) => matrices[name].map((row, i) =>
    row.map((value, j) => ({ value, label: labels[name][i][j], isSuspect: suspects.includes(name) })));
  const packed = Object.fromEntries(stage.formula.reads.map((name) => [name, pack(name)]));
  const isProduct = stage.form === "product";
  const numbers = new Map();
  const found = { labels: stage.key.map((row) => row.map(() => 0)), worked: [], touched: [], count: 0 };
  for (const { i, j } of listAskedPlaces(stage)) {
    const all = listParts(stage, packed, i, j).map((part) =>
      part.map((each) => ("label" in each ? each : { value: each, label: 1, isSuspect: false })));
    if (all.flat().some(({ isSuspect }) => isSuspect)) found.touched.push(`${i} ${j}`);
    const parts = isProduct ? all.map((part) => (part.some(({ value }) => value.top === 0n) ? [] : part)) : all;
    if (!parts.flat().some(({ isSuspect, label }) => isSuspect && label)) continue;
    const nonzero = parts.filter((part) => part.length);
    /* several of the same numbers together are copied, wherever they came from; one may be alike by chance */
    const source = JSON.stringify(parts.map((part) =>
      part.map(({ value, label }) => (nonzero.length > 1 ? formatExact(value) : label))));
    const isCopied = isProduct && nonzero.length === 1 && nonzero[0].some(({ isSuspect, value }) => isSuspect && isEqual(value, ONE));
    if (!numbers.has(source) && !isCopied) found.worked.push(`${i} ${j}`);
    if (!numbers.has(source)) numbers.set(source, numbers.size + FIRST_LABEL);
    found.labels[i][j] = numbers.get(source);
  }
  return { ...found, count: numbers.size };
}

/* Return which cells earn nothing, where less is left to work than the key asks, and the labels of all. */
function findTrivialCells(stage, line) {
  const { formula: { reads }, form } = stage;
  const suspects = reads.filter((name, n) => line.labels[name] && !(form === "share" && n));
  if (!suspects.length) return { trivial: [], labels: null };
  const [own, right] = [line.written, KEY_MATRICES].map((matrices, side) => {
    const labels = reads.map((name) => [name, line.labels[name]?.[side] ?? labelEachCell(KEY_MATRICES[name])]);
    return findWorkLeft(stage, matrices, Object.fromEntries(labels), suspects);
  });
  const trivial = own.worked.length < right.count ? own.touched.filter((place) => !own.worked.includes(place)) : [];
  return { trivial, labels: [own.labels, right.labels] };
}

/* Count the numbers that are others than the commonest. */
function countUnusual(texts) {
  const counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return texts.length - Math.max(0, ...counts.values());
}

const countNonzero = (texts) => texts.filter((text) => text !== "0").length;

const hasEqualRows = (a, asked) =>
  new Set(asked.map(({ i, j }) => `${j} ${formatExact(a[i][j])}`)).size === new Set(asked.map(({ j }) => j)).size;
const hasEqualColumns = (a, asked) =>
  new Set(asked.map(({ i, j }) => `${i} ${formatExact(a[i][j])}`)).size === new Set(asked.map(({ i }) => i)).size;
const isIdentity = (a, asked) => asked.every(({ i, j }) => isEqual(a[i][j], i === j ? ONE : ZERO));

const listTexts = (a, asked) => asked.map(({ i, j }) => formatExact(a[i][j]));

/* Say whether numbers come of others by some rule that keeps or turns their order, and are not all alike. */
function keepsOrder(x, a, asked) {
  const pairs = asked.map(({ i, j }) => [x[i][j], a[i][j]]).sort(([first], [second]) => compare(first, second));
  const steps = pairs.slice(1).map(([number, result], n) => {
    const [up, change] = [compare(number, pairs[n][0]), compare(result, pairs[n][1])];
    return up || !change ? change : NaN;
  });
  return steps.some(Boolean) && [1, -1].some((sign) => steps.every((step) => step * sign >= 0));
}

/* Say whether wrong numbers leave nearly nothing to compute, and the key's do not. */
function savesWork({ form, formula, key }, matrices, a, asked) {
  if (form === "scale" && keepsOrder(matrices[formula.reads[0]], a, asked)) return false;
  const [own, right] = [a, key].map((each) => listTexts(each, asked));
  const counts = form === "product" ? [countUnusual, countNonzero] : [countUnusual];
  return counts.some((count) => count(right) > NEAR_TRIVIAL_SHARE * Math.max(1, count(own)))
    || [hasEqualRows, hasEqualColumns, isIdentity].some((test) => test(a, asked) && !test(key, asked));
}

/* Say whether all numbers are alike, or an identity: nothing is left to work. */
const isTrivial = (a, asked) => isIdentity(a, asked) || !countUnusual(listTexts(a, asked));

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
    labels: {},
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
    const isWrong = ({ mark }) => mark === "wrong";
    const [explanation] = found.cells.some(isWrong) ? findExplanations(stage, found.cells, [line.written, line.unrounded]) : [];
    for (const cell of explanation ? found.cells : []) {
      if (MEANT_NOTES.includes(cell.note)) Object.assign(cell, { note: "", meant: null });
    }
    marks[stage.name] = found.cells;
    carry(stage, found, explanation?.value, line, sets);
  }
  return { marks, written: line.written, unrounded: line.unrounded };
}

/* Take up what was written at a stage; where nothing was, what follows from before. */
function carry(stage, found, explanation, line, sets) {
  const rows = sets.map(() => stage.key.map((row) => [...row]));
  for (const cell of found.cells) {
    const numbers = findNumbers(stage, cell, found, explanation);
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
  const isMistaken = found.cells.some(({ mark, note }) => mark === "wrong" && !note);
  /* zeros that honest work gives, such as those of ReLU, are no shortcut */
  const [own, worked] = [line.written[stage.name], found.cells.filter(({ isPrinted }) => !isPrinted)];
  if (isMistaken && !explanation && savesWork(stage, line.written, own, worked)) {
    const asked = listAskedPlaces(stage);
    line.labels[stage.name] = [labelByValue(own, isTrivial(own, worked) ? [] : asked), labelByValue(stage.key, asked)];
  } else if (found.trivial.length) {
    line.labels[stage.name] = found.labels;
  }
}

/* Take no number for a percentage where most that are wrong are none: 10 for 1/10 was divided the wrong way round. */
function dropLonePercentages(cells) {
  const wrong = cells.filter(({ mark }) => mark === "wrong");
  const shares = wrong.filter(({ note }) => note === "no-percent");
  if (2 * shares.length < wrong.length) for (const cell of shares) Object.assign(cell, { note: "", meant: null });
}

/* Return a number as written, as unrounded, the least and the most that it may be: 34.86 is 34.855 to 34.865. */
function findNumbers(stage, cell, found, explanation) {
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
    const [low, high] = found.ranges ? found.ranges.map((a) => a[i][j]) : [];
    const least = low ? largest([sum(value, negate(half)), low]) : null;
    const most = high ? smallest([sum(value, half), high]) : null;
    if (least && most && compare(least, most) <= 0) ends.push(least, most);
    else if (!meant) ends.push(sum(value, negate(half)), sum(value, half));
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
  const { trivial, labels } = findTrivialCells(stage, line);
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
      ({ id, i, j, text, key, reading, mark, note, follows, meant, isPrinted: Boolean(printed) });
    const makeFollowing = (follows) => {
      if (hasCorrectInputs) return make("correct", "rounded", follows);
      return trivial.includes(`${i} ${j}`) ? make("wrong", "trivial", follows) : make("follows", "", follows);
    };
    if (!reading) return make("blank");
    if (reading.unreadable) return make("unreadable", reading.unreadable);
    const match = matchAnswer(reading, key);
    if (match === "right") return make("correct");
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
  return { cells, fromWritten, fromUnrounded, ranges, trivial, labels };
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
  const exponents = KEY.stages.filter(({ form }) => form === "power" || form === "mask").map(({ formula }) => formula.reads[0]);
  const isWritable = (matrices) => exponents.every((name) => !matrices[name] || !isTooLarge(matrices[name]));
  const known = valueSets.map((matrices) =>
    Object.fromEntries([...Object.keys(KEY.given), ...earlier.map(({ name }) => name)].map((name) => [name, matrices[name]])));
  return known.filter(isWritable).map((matrices) => makeContext(stage, matrices));
}

/* What is nearly right, and what is printed, is evidence for nothing. */
const listEvidence = (cells) =>
  cells.filter((cell) => cell.reading?.value && cell.note !== "digits" && !(cell.isPrinted && cell.mark === "correct"));

/* The key, and what follows in each context. */
const listRights = (stage, contexts) => [stage.key, ...contexts.map(({ own }) => own).filter(Boolean)];

/* Return every mistake that gives all that was written at a stage, with what it gives: slips, or what any stage shows. */
function findExplanations(stage, cells, valueSets) {
  const wrong = cells.filter(({ mark, note }) => mark === "wrong" && !note);
  if (!wrong.length) return [];
  const readings = listEvidence(cells);
  const fits = (a) => a && shape(a) === shape(stage.key) && readings.every(({ i, j, reading }) => isEvidence(reading, a[i][j]));
  const contexts = listContexts(stage, valueSets);
  const found = new Map();
  for (const slip of stage.slips) {
    for (const context of contexts) {
      const value = workSlip(slip, context);
      if (fits(value)) found.set(slip.id, value);
    }
  }
  const list = () => [...found].map(([slip, value]) => ({ slip, value }));
  if (found.size || wrong.length === 1) return list();
  const rights = listRights(stage, contexts);
  const turned = rights.map(transpose).find((a, n) => !isSameMatrix(a, rights[n]) && fits(a));
  if (turned) found.set("transposed", turned);
  const exchanges = rights.flatMap(listExchanges).filter(({ isAlongColumns, lines, value }) =>
    lines.every((line) => wrong.some(({ i, j }) => line === (isAlongColumns ? j : i))) && fits(value));
  /* From unrounded numbers where these give it too. */
  const exchanged = exchanges.findLast(({ isAlongColumns, lines }) =>
    isAlongColumns === exchanges[0].isAlongColumns && lines.join() === exchanges[0].lines.join());
  if (exchanged) found.set("rows-exchanged", exchanged.value);
  return list();
}

/* Say whether all that was written is right but for its decimals: 1 and 0 for 0.9 and 0.1. */
function isRoundedToWhole(stage, cells, valueSets) {
  const readings = listEvidence(cells);
  return listRights(stage, listContexts(stage, valueSets)).some((a) =>
    readings.every(({ i, j, reading }) => isFiniteNumber(reading.value) && isFiniteNumber(a[i][j]) && isNear(reading.value, a[i][j], 0)));
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
