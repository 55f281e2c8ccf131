/* Numbers that a sheet is worked with: fractions, and where a root or e comes in decimals of 40 digits, as the key has
   them. This part and all that marks are in self-checking pages alone. */

const PRECISION = 40;
const ZERO = fraction(0n);
const ONE = fraction(1n);
const whole10 = (power) => 10n ** BigInt(power);
const isFiniteNumber = (value) => value !== MINUS_INFINITY;
const isWhole = (value) => value.bottom === 1n && !value.isDecimal;
const isEqual = (a, b) => a === b || (isFiniteNumber(a) && isFiniteNumber(b) && isSame(a, b));
const toNumber = (count) => fraction(BigInt(count));

/* Return a number rounded to 40 digits, halves to even: from there on it is a decimal. */
function toDecimal(value) {
  if (!isFiniteNumber(value) || value.isDecimal) return value;
  const sign = value.top < 0n ? -1n : 1n;
  const top = sign * value.top;
  if (!top) return { ...ZERO, isDecimal: true };
  const scale = (places) => (places < 0 ? [top, value.bottom * whole10(-places)] : [top * whole10(places), value.bottom]);
  let places = PRECISION + `${value.bottom}`.length - `${top}`.length;
  if (((a) => a[0] / a[1])(scale(places)) >= whole10(PRECISION)) places -= 1;
  const [over, under] = scale(places);
  const rest = 2n * (over % under);
  let units = over / under;
  if (rest > under || (rest === under && units % 2n)) units += 1n;
  const rounded = places < 0 ? fraction(sign * units * whole10(-places)) : fraction(sign * units, whole10(places));
  return { ...rounded, isDecimal: true };
}

/* Work with two numbers exactly, or in decimals where one of them is one. */
const workWith = (work) => (a, b) => (a.isDecimal || b.isDecimal ? toDecimal(work(toPlain(a), toPlain(b))) : work(a, b));
const toPlain = (a) => (({ top, bottom }) => ({ top, bottom }))(toDecimal(a));
const add = workWith(sum);
const multiply = (a, b) => {
  if (!isFiniteNumber(a) || !isFiniteNumber(b)) throw new RangeError("−∞ is not multiplied");
  return workWith(product)(a, b);
};
const compare = (a, b) => {
  if (!isFiniteNumber(a) || !isFiniteNumber(b)) return Number(isFiniteNumber(a)) - Number(isFiniteNumber(b));
  const difference = a.top * b.bottom - b.top * a.bottom;
  return difference < 0n ? -1 : Number(difference > 0n);
};
const isNegative = (a) => compare(a, ZERO) < 0;
const negate = (a) => ({ ...a, top: -a.top });
const dropSign = (a) => (isNegative(a) ? negate(a) : a);

function divide(a, b) {
  if (b.top === 0n) throw new RangeError("over zero");
  return workWith((x, y) => fraction(x.top * y.bottom, x.bottom * y.top))(a, b);
}

function floor({ top, bottom }) {
  const cut = top / bottom;
  return fraction(top < 0n && cut * bottom !== top ? cut - 1n : cut);
}

const ceil = (a) => negate(floor(negate(a)));
const truncate = (a) => fraction(a.top / a.bottom);

/* Round to a whole number, halves to even. */
function roundToEven(a) {
  const below = floor(a);
  const side = compare(sum(a, negate(below)), fraction(1n, 2n));
  return side > 0 || (side === 0 && below.top % 2n) ? sum(below, ONE) : below;
}

/* Round to the nearest whole number, halves away from zero. */
function roundAway(a) {
  const size = floor(sum(toPlain(dropSign(a)), fraction(1n, 2n)));
  return isNegative(a) ? negate(size) : size;
}

/* Round to some places, halves away from zero. */
function roundToPlaces(a, places) {
  const [whole, digits = ""] = formatRounded(a, places).split(".");
  return fraction(BigInt(whole + digits), whole10(digits.length));
}

/* Roots, logarithms and powers, worked as whole numbers of very small units: far more digits than are kept. */
const UNIT = whole10(2 * PRECISION);
const toUnits = ({ top, bottom }) => (top * UNIT) / bottom;

/* The square root; that of 4, of 9/4, … is a fraction, and what is negative has none. */
function takeRoot(value) {
  if (isNegative(value)) throw new RangeError("no square root");
  const exact = [value.top, value.bottom].map(takeWholeRoot);
  const isExact = exact.every((root, at) => root * root === [value.top, value.bottom][at] * UNIT * UNIT);
  if (isExact && !value.isDecimal) return fraction(...exact);
  const { top, bottom } = toPlain(value);
  return toDecimal(fraction(takeWholeRoot(top * bottom), UNIT * bottom));
}

/* The root of a whole number in units, rounded down. */
function takeWholeRoot(whole) {
  const square = whole * UNIT * UNIT;
  let root = square;
  for (let next = UNIT * whole; next < root; next = (root + square / root) / 2n) root = next;
  return root;
}

/* Of a number above 0: halved or doubled until it lies between 1 and 2, then by the series of artanh((x - 1) / (x + 1)). */
function takeLogarithm({ top, bottom }) {
  let [over, under, halvings] = [top, bottom, 0n];
  for (; over > 2n * under; under *= 2n) halvings += 1n;
  for (; over < under; over *= 2n) halvings -= 1n;
  return fraction(2n * (addLogarithm(over, under) + halvings * addLogarithm(2n, 1n)), UNIT);
}

function addLogarithm(over, under) {
  const ratio = toUnits(fraction(over - under, over + under));
  let total = 0n;
  for (let [term, n] = [ratio, 1n]; term; term = (term * ratio * ratio) / (UNIT * UNIT), n += 2n) total += term / n;
  return total;
}

/* The natural logarithm; there is none of 0 and below. */
function takeLn(value) {
  if (compare(value, ZERO) <= 0) throw new RangeError("no power is 0 or less");
  return toDecimal(takeLogarithm(value));
}

/* e to a power: of 2^-14 of the exponent by the series, then squared so many times. */
function raiseUnrounded(exponent) {
  const small = toUnits(absolute(exponent)) / 2n ** 14n;
  let power = 0n;
  for (let [term, n] = [UNIT, 1n]; term; term = (term * small) / UNIT / n, n += 1n) power += term;
  for (let n = 0; n < 14; n += 1) power = (power * power) / UNIT;
  return isNegative(exponent) ? fraction(UNIT, power) : fraction(power, UNIT);
}

const raiseE = (exponent) => toDecimal(raiseUnrounded(exponent));

/* The cosine and the sine of an angle, by their series: 1, x, -x²/2, -x³/6, … in turn. */
function takeTurn(angle) {
  const x = toUnits(angle);
  const sums = [0n, 0n];
  for (let [term, n] = [UNIT, 0]; term; n += 1, term = (term * x) / UNIT / BigInt(n)) sums[n % 2] += n % 4 > 1 ? -term : term;
  const [cosine, sine] = sums.map((units) => toDecimal(fraction(units, UNIT)));
  return { cosine, sine };
}

const EULER = raiseE(ONE);

/* Raise a number, as far as the power can be written down; what is hidden by a mask gives 0. A few scores come again
   and again, so powers are kept. */
function raiseTo(base, exponent) {
  if (!isFiniteNumber(exponent)) return ZERO;
  if (compare(dropSign(exponent), toNumber(findMaxExponent(base))) > 0) throw new RangeError("too large to be written down");
  const key = [base, exponent].map((value) => formatExact(value) + (value.isDecimal ? "d" : "")).join("^");
  if (!POWERS.has(key)) POWERS.set(key, workPower(base, exponent));
  return POWERS.get(key);
}

/* Return the largest exponent whose power is written down, e^700 at most: of 10 it is less than of 3. */
const findMaxExponent = ({ top, bottom, isDecimal }) =>
  isDecimal || bottom !== 1n || top < 2n ? KEY.rules.max_exponent : Math.floor(700 / Math.log(Number(top)));

const POWERS = new Map();

function workPower(base, exponent) {
  if (base === EULER) return raiseE(toDecimal(exponent));
  if (!isWhole(exponent)) return raiseE(product(exponent, takeLogarithm(base)));
  const times = absolute(exponent).top;
  const power = fraction(base.top ** times, base.bottom ** times);
  const raised = isNegative(exponent) ? divide(ONE, power) : power;
  return base.isDecimal ? toDecimal(raised) : raised;
}

/* Say whether a power would be too large to be written down. */
const isTooLarge = (exponents) =>
  exponents.flat().some((value) => isFiniteNumber(value) && compare(dropSign(value), toNumber(KEY.rules.max_exponent)) > 0);

/* A sum of decimals that is smaller than so much of its terms is 0: no digit of it is known. */
const NOISE = fraction(1n, whole10(35));

function isNoise(total, terms) {
  const nearly = product(total, fraction(whole10(30)));
  return terms.some((term) => compare(dropSign(nearly), dropSign(term)) < 0)
    && compare(dropSign(total), product(NOISE, terms.map(absolute).reduce(sum))) < 0;
}

/* What is 0 is left out, so that only what is irrational makes a decimal. */
function addAll(values) {
  if (!values.every(isFiniteNumber)) return MINUS_INFINITY;
  const terms = values.filter(({ top }) => top);
  const total = terms.reduce(add, ZERO);
  return total.isDecimal && isNoise(total, terms) ? { ...ZERO, isDecimal: true } : total;
}

const smallest = (values) => values.reduce((a, b) => (compare(b, a) < 0 ? b : a));
const largest = (values) => values.reduce((a, b) => (compare(b, a) > 0 ? b : a));

/* Matrices: rows of numbers. An irrational number makes decimals of all fractions beside it. */
const mapCells = (work, a) => a.map((row) => row.map(work));
const transpose = (a) => a[0].map((_, j) => a.map((row) => row[j]));
const shape = (a) => `${a.length} ${a[0].length}`;
const isSameMatrix = (a, b) => shape(a) === shape(b) && a.every((row, i) => row.every((value, j) => isEqual(value, b[i][j])));

function unify(matrices) {
  const isIrrational = matrices.flat(2).some((value) => value.isDecimal);
  return isIrrational ? matrices.map((a) => mapCells((value) => (value.bottom > 1n ? toDecimal(value) : value), a)) : matrices;
}
