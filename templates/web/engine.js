/* The formulas of the sheet and of its slips, worked. One says how far the letters of its rows and columns run, which
   matrices it reads, and what a cell is: a letter (its place, from 1), a whole number, or a list that begins with what
   it is. Letters and whole numbers become numbers of the sheet where they meet one. Tokens are columns. */

const lift = (value) => (typeof value === "number" ? toNumber(value) : value);
const areWhole = (values) => values.every((value) => typeof value === "number");

/* Numbers that are known: what is made of several, whatever it is. */
const EXACT = {
  grow: (work, values) => work(values.map(lift)),
  meet: (work, a, b) => work(lift(a), lift(b)),
  compare: (a, b) => compare(lift(a), lift(b)),
};

const toRange = (value) => (Array.isArray(value) ? value : [lift(value), lift(value)]);
const meetAtEnds = (work, a, b) => toRange(a).flatMap((one) => toRange(b).map((other) => work(one, other)));

/* Pairs of the least and the most that a number may be: what grows with all that it takes, and what does not. */
const RANGES = {
  grow: (work, values) => [0, 1].map((end) => work(values.map((value) => toRange(value)[end]))),
  meet(work, a, b) {
    if (work === divide && new Set(toRange(b).map(isNegative)).size > 1) throw new RangeError("over what may be 0");
    const ends = meetAtEnds(work, a, b);
    return [smallest(ends), largest(ends)];
  },
  compare(a, b) {
    const signs = new Set(meetAtEnds(compare, a, b));
    if (signs.size > 1) throw new RangeError("nobody knows which is larger");
    return [...signs][0];
  },
};

const addUp = (at, terms) => (areWhole(terms) ? terms.reduce((a, b) => a + b, 0) : at.grow(addAll, terms));
const multiplyBy = (at, a, b) => (areWhole([a, b]) ? a * b : at.meet(multiply, a, b));

/* Return what is added up, one sum in another opened. */
function listTerms(at, node, take) {
  const [kind, a, b, body] = Array.isArray(node) ? node : [];
  if (kind === "Σ") return at.visit(a, b, () => listTerms(at, body, take)).flat();
  return kind === "+" ? [a, b].flatMap((part) => listTerms(at, part, take)) : [take(node)];
}

const compareBy = (fits) => (at, a, b) => fits(at.compare(at.work(a), at.work(b)));
const applyTo = (work) => (at, a) => at.grow(([value]) => work(value), [at.work(a)]);

/* All that may stand in a formula. */
const NODES = {
  cell: (at, name, i, j) => at.matrices[name][at.work(i) - 1][at.work(j) - 1],
  head: (at, names, h, i, j) => NODES.cell(at, names[at.work(h) - 1], i, j),
  place: (at, places, i) => places[at.work(i) - 1],
  "−∞": () => MINUS_INFINITY,
  e: () => EULER,
  "+": (at, ...parts) => addUp(at, listTerms(at, ["+", ...parts], at.work)),
  "−": (at, a, b) => addUp(at, [at.work(a), multiplyBy(at, at.work(b), -1)]),
  "·": (at, a, b) => multiplyBy(at, at.work(a), at.work(b)),
  "/": (at, a, b) => at.meet(divide, at.work(a), at.work(b)),
  "^": (at, a, b) => at.grow(([base, exponent]) => raiseTo(base, exponent), [at.work(a), at.work(b)]),
  negative: (at, a) => multiplyBy(at, at.work(a), -1),
  "Σ": (at, ...parts) => addUp(at, listTerms(at, ["Σ", ...parts], at.work)),
  largest: (at, letter, length, body) => at.grow(largest, at.visit(letter, length, () => at.work(body))),
  if: (at, condition, then, otherwise) => at.work(at.work(condition) ? then : otherwise),
  and: (at, a, b) => at.work(a) && at.work(b),
  or: (at, a, b) => at.work(a) || at.work(b),
  "=": compareBy((sign) => sign === 0),
  "≠": compareBy((sign) => sign !== 0),
  "<": compareBy((sign) => sign < 0),
  ">": compareBy((sign) => sign > 0),
  "≤": compareBy((sign) => sign <= 0),
  "≥": compareBy((sign) => sign >= 0),
  odd: (at, a) => at.work(a) % 2 === 1,
  mod: (at, a, b) => at.work(a) % at.work(b),
  floor: applyTo(floor),
  ceil: applyTo(ceil),
  trunc: applyTo(truncate),
  round: applyTo(roundToEven),
  nearest: applyTo(roundAway),
  root: applyTo(takeRoot),
  ln: applyTo(takeLn),
  step: applyTo((value) => (compare(value, ZERO) > 0 ? ONE : ZERO)),
  decimals: applyTo((value) => roundToPlaces(value, SHEET.places)),
  abs: (at, a) => ((value) => at.grow(largest, [value, multiplyBy(at, value, -1), 0]))(at.work(a)),
  max: (at, ...values) => at.grow(largest, values.map(at.work)),
  min: (at, ...values) => at.grow(smallest, values.map(at.work)),
  position: (at, ...places) => placeWave(...places.map(at.work)),
  cos: (at, ...places) => turnBy(...places.map(at.work)).cosine,
  sin: (at, ...places) => turnBy(...places.map(at.work)).sine,
};

/* The sine or cosine of a position, rounded as by hand; see Vaswani et al., "Attention Is All You Need", section 3.5. */
function placeWave(token, feature, count) {
  const isSine = feature % 2 === 1;
  const angle = (token - 1) / 10000 ** ((feature - (isSine ? 1 : 2)) / count);
  return Math.round(isSine ? Math.sin(angle) : Math.cos(angle));
}

/* The cosine and the sine of the angle by which a number is turned: 1 radian a place in the first pair, less in others;
   see Su et al., "RoFormer", section 3.2.2. */
function turnBy(token, feature, count) {
  if (token === 1) return { cosine: 1, sine: 0 };
  const key = [token, feature, count].join();
  if (!TURNS.has(key)) {
    const below = feature - (feature % 2 ? 1 : 2);
    const rate = raiseUnrounded(product(fraction(BigInt(-4 * below), BigInt(count)), takeLogarithm(toNumber(10))));
    TURNS.set(key, takeTurn(product(toNumber(token - 1), rate)));
  }
  return TURNS.get(key);
}

const TURNS = new Map();

/* Stand at a cell of a formula, in numbers of some kind. */
function standAt({ rows, columns }, matrices, i, j, kind = EXACT) {
  const letters = {};
  const put = (place, [letter, length]) => {
    letters[letter] = (place % length) + 1;
    return Math.floor(place / length);
  };
  rows.reduce(put, i);
  columns.reduce(put, j);
  const work = (node) => (typeof node === "string" ? letters[node] : Array.isArray(node) ? NODES[node[0]](at, ...node.slice(1)) : node);
  const visit = (letter, length, see) => Array.from({ length }, (_, place) => {
    letters[letter] = place + 1;
    return see();
  });
  const at = { ...kind, matrices, work, visit };
  return at;
}

const workCell = (formula, matrices, i, j) => lift(standAt(formula, matrices, i, j).work(formula.cell));

/* Return what is made of each cell of a formula. */
function mapPlaces({ rows, columns }, make) {
  const [height, width] = [rows, columns].map((letters) => letters.reduce((size, [, length]) => size * length, 1));
  return Array.from({ length: height }, (_, i) => Array.from({ length: width }, (__, j) => make(i, j)));
}

/* Return what a formula reads, in numbers that can be added; of several sets of matrices all alike. */
function takeIn({ reads }, ...sets) {
  const unified = unify(sets.flatMap((matrices) => reads.map((name) => matrices[name])));
  return sets.map((_, n) => Object.fromEntries(reads.map((name, at) => [name, unified[n * reads.length + at]])));
}

/* Return what comes out. Throws a RangeError where it would be over 0, or has a power that cannot be written down. */
function workFormula(formula, matrices) {
  const [taken] = takeIn(formula, matrices);
  return mapPlaces(formula, (i, j) => workCell(formula, taken, i, j));
}

/* Return what comes out; null where it cannot be worked. */
function tryToWork(work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/* Return what comes out cell by cell: null where one cannot be worked. */
function workCells(formula, matrices) {
  const [taken] = takeIn(formula, matrices);
  return mapPlaces(formula, (i, j) => tryToWork(() => workCell(formula, taken, i, j)));
}

/* Return the least and the most that comes out where what is read lies between two numbers each. */
function workRanges(formula, lowest, highest) {
  const [low, high] = takeIn(formula, lowest, highest);
  const ranges = Object.fromEntries(formula.reads.map((name) => [name, mapPairs(low[name], high[name])]));
  const found = mapPlaces(formula, (i, j) => tryToWork(() => toRange(standAt(formula, ranges, i, j, RANGES).work(formula.cell))));
  return [0, 1].map((end) => mapCells((range) => range && range[end], found));
}

const mapPairs = (low, high) => low.map((row, i) => row.map((value, j) => [value, high[i][j]]));

/* Return what a cell reads, as the terms that it adds up: of a product pairs, the bias with the 1 that it meets. They are
   the sheet's, in whatever way the whole of it is worked, and what is rounded as a whole is one, whether or not its rules
   round. */
function listParts({ sheetFormula, form }, matrices, i, j) {
  const at = standAt(sheetFormula, matrices, i, j);
  const take = (node) => listCellsRead(at, node);
  const parts = form === "rounded" ? [take(sheetFormula.cell)] : listTerms(at, sheetFormula.cell, take);
  if (form !== "product") return parts.filter((part) => part.length);
  return parts.map((part) => (part.length > 1 ? part : [...part, ONE]));
}

/* Where places decide, what is not chosen is not read. */
function listCellsRead(at, node) {
  if (!Array.isArray(node)) return [];
  const [kind, ...parts] = node;
  if (kind === "cell" || kind === "head") return [at.work(node)];
  if (kind === "Σ" || kind === "largest") return at.visit(parts[0], parts[1], () => listCellsRead(at, parts[2])).flat();
  const isDecided = kind === "if" && !listCellsRead(at, parts[0]).length;
  return (isDecided ? [parts[at.work(parts[0]) ? 1 : 2]] : parts).flatMap((part) => listCellsRead(at, part));
}

/* What a slip may need of a matrix, to be another thing than right work. */
const NEEDS = {
  asymmetric: (a) => a.length === a[0].length && !isSameMatrix(a, transpose(a)),
  negative: (a) => a.flat().some((value) => isFiniteNumber(value) && isNegative(value)),
  raisable: (a) => !isTooLarge(a),
};

/* Return what a student has before them at a stage, with what they should get. */
function makeContext({ formula }, matrices) {
  const own = tryToWork(() => workFormula(formula, matrices));
  return { ...matrices, ...takeIn(formula, matrices)[0], own };
}

/* Return what a slip gives; null where it cannot happen, or does not show. */
function workSlip(slip, context) {
  const { own } = context;
  if (!own && slip.reads.includes("own")) return null;
  if (slip.need && !NEEDS[slip.need[1]](context[slip.need[0]])) return null;
  const wrong = tryToWork(() => workFormula(slip, context));
  const isHidden = wrong && own && !slip.even_if_right && wrong.every((row, i) => row.every((value, j) => isOne(value, own[i][j])));
  return isHidden ? null : wrong;
}

const isOne = (a, b) => isSameNumber(a, b) || isSameNumber(b, a);
