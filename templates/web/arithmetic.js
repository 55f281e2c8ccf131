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
const toPlain = (a) => fraction(toDecimal(a).top, toDecimal(a).bottom);
const add = workWith(sum);
const multiply = workWith(product);
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

/* Round to some places, halves away from zero. */
function roundToPlaces(a, places) {
  const [whole, digits = ""] = formatRounded(a, places).split(".");
  return fraction(BigInt(whole + digits), whole10(digits.length));
}

/* Roots, logarithms and powers, worked as whole numbers of very small units: far more digits than are kept. */
const UNIT = whole10(2 * PRECISION);
const toUnits = ({ top, bottom }) => (top * UNIT) / bottom;

function takeRoot(number) {
  const square = BigInt(number) * UNIT * UNIT;
  let root = square;
  for (let next = UNIT * BigInt(number); next < root; next = (root + square / root) / 2n) root = next;
  return toDecimal(fraction(root, UNIT));
}

/* By the series of artanh((x - 1) / (x + 1)). */
function takeLogarithm(number) {
  const ratio = toUnits(fraction(BigInt(number - 1), BigInt(number + 1)));
  let total = 0n;
  for (let [term, n] = [ratio, 1n]; term; term = (term * ratio * ratio) / (UNIT * UNIT), n += 2n) total += term / n;
  return fraction(2n * total, UNIT);
}

/* e to a power: of 2^-14 of the exponent by the series, then squared so many times. */
function raiseE(exponent) {
  const small = toUnits(absolute(exponent)) / 2n ** 14n;
  let power = 0n;
  for (let [term, n] = [UNIT, 1n]; term; term = (term * small) / UNIT / n, n += 1n) power += term;
  for (let n = 0; n < 14; n += 1) power = (power * power) / UNIT;
  return toDecimal(isNegative(exponent) ? fraction(UNIT, power) : fraction(power, UNIT));
}

const repeat = (number, times) => fraction(BigInt(number) ** times);

/* Raise the base of the sheet, or another; what is hidden by a mask gives 0. */
function raiseBase(exponent, base = KEY.rules.base) {
  if (!isFiniteNumber(exponent)) return ZERO;
  if (base === "e") return raiseE(exponent);
  if (!isWhole(exponent)) return raiseE(product(exponent, takeLogarithm(base)));
  const { top } = exponent;
  return top < 0n ? divide(ONE, repeat(base, -top)) : repeat(base, top);
}

/* Divide a score by the square root of d_k, or by what stands for it. */
function scaleScore(score) {
  const { scale, divisor, d_k: size } = KEY.rules;
  if (scale === "none") return score;
  if (divisor) return isRoundedDown() ? floor(divide(score, toNumber(divisor))) : divide(score, toNumber(divisor));
  const root = Math.round(Math.sqrt(size));
  return divide(score, root * root === size ? toNumber(root) : takeRoot(size));
}

const isRoundedDown = () => KEY.rules.is_rounded_down;

/* Matrices: rows of numbers. An irrational number makes decimals of all fractions beside it. */
const mapCells = (work, a) => a.map((row) => row.map(work));
const transpose = (a) => a[0].map((_, j) => a.map((row) => row[j]));
const addAll = (values) => values.reduce(add, ZERO);
const isSameMatrix = (a, b) => a.length === b.length && a.every((row, i) =>
  row.length === b[i].length && row.every((value, j) => isEqual(value, b[i][j])));

function unify(matrices) {
  const isIrrational = matrices.flat(2).some((value) => value.isDecimal);
  return isIrrational ? matrices.map((a) => mapCells((value) => (value.bottom > 1n ? toDecimal(value) : value), a)) : matrices;
}

/* Pairs with a 0 in them are left out, so that only what is irrational makes a decimal. */
const multiplyLines = (row, column) =>
  addAll(row.flatMap((value, k) => (value.top && column[k].top ? [multiply(value, column[k])] : [])));
const multiplyMatrices = (left, right) => left.map((row) => transpose(right).map((column) => multiplyLines(row, column)));

/* What every operation does, with tokens as columns: the student's own numbers in, what follows from them out. */
const OPERATIONS = {
  Product({ is_left_transposed: turnsLeft, is_right_transposed: turnsRight, has_bias: hasBias }, inputs) {
    const [left, bias, right] = [inputs[0], inputs[1], inputs.at(-1)];
    const multiplied = multiplyMatrices(turnsLeft ? transpose(left) : left, turnsRight ? transpose(right) : right);
    return hasBias ? multiplied.map((row, i) => row.map((value) => add(value, bias[i][0]))) : multiplied;
  },
  ScaleScores: (_, [scores]) => mapCells(scaleScore, scores),
  Mask: (mask, [scores]) => scores.map((row, i) => row.map((value, j) => (isHidden(mask, i, j) ? MINUS_INFINITY : value))),
  Power: (_, [exponents]) => mapCells((value) => raiseBase(value), exponents),
  Sum: (_, [powers]) => [transpose(powers).map(addAll)],
  Divide: (_, [powers, [sums]]) => powers.map((row) => row.map((value, j) => divide(value, sums[j]))),
  Concatenate: (_, heads) => heads.flat(),
  ReLU: (_, [a]) => mapCells((value) => (isNegative(value) ? ZERO : value), a),
  LookUp: ({ word_indices: words }, [table]) => table.map((row) => words.map((word) => row[word])),
  Add: (_, [a, b]) => a.map((row, i) => row.map((value, j) => add(value, b[i][j]))),
};

/* Say whether a key comes after its query, or before its window. */
const isHidden = ({ window: size }, key, query) => key > query || (size !== null && key <= query - size);

const apply = ({ operation }, inputs) => OPERATIONS[operation.type](operation, unify(inputs));

/* Say whether a power would be too large to be written down. */
const isTooLarge = (exponents) =>
  exponents.flat().some((value) => isFiniteNumber(value) && compare(dropSign(value), toNumber(KEY.rules.max_exponent)) > 0);
