/* Numbers as students write them, with fractions of BigInt. SPELLINGS, the table and the patterns
   that papers are read by, stands before this: one grammar for both. */

const MINUS_INFINITY = "-inf";
const whole = (pattern) => new RegExp(`^(?:${pattern})$`, "u");
const UNSEEN = new RegExp(SPELLINGS.unseen, "gu");
const BLANKS = new RegExp(SPELLINGS.blanks, "u");
const STACKED = new RegExp(SPELLINGS.stacked, "gu");
const RAISED_POWER = new RegExp(SPELLINGS.raisedPower, "gu");
const RAISED = new RegExp(SPELLINGS.raised, "u");
const EQUALS = new RegExp(SPELLINGS.equals, "u");
const INFINITE = whole(SPELLINGS.minusInfinity);
const WRITTEN = whole(SPELLINGS.number);
const POWER = whole(SPELLINGS.power);
const GROUPED = whole(SPELLINGS.thousands);
const LABEL = new RegExp(SPELLINGS.label, "u");
const PRODUCT = whole(SPELLINGS.product);
const CALCULATION = whole(SPELLINGS.calculation);
const TERM = new RegExp(SPELLINGS.term, "gu");
const FACTOR = new RegExp(SPELLINGS.factor, "gu");
const DECIMAL_COMMA = whole(SPELLINGS.decimalComma);
const DECIMAL_POINT = new RegExp(SPELLINGS.decimalPoint, "u");
const DATE = new RegExp(`^(?:${SPELLINGS.date})$`, "iu");
const REWRITES = SPELLINGS.rewrites.map(([pattern, changed]) => [new RegExp(pattern, "gu"), changed]);

function greatestCommonDivisor(a, b) {
  while (b) [a, b] = [b, a % b];
  return a < 0n ? -a : a;
}

function fraction(top, bottom = 1n) {
  const common = greatestCommonDivisor(top, bottom) || 1n;
  const sign = bottom < 0n ? -1n : 1n;
  return { top: (sign * top) / common, bottom: (sign * bottom) / common };
}

const sum = (a, b) => fraction(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom);
const product = (a, b) => fraction(a.top * b.top, a.bottom * b.bottom);
const isSame = (a, b) => a.top === b.top && a.bottom === b.bottom;
const absolute = (a) => fraction(a.top < 0n ? -a.top : a.top, a.bottom);

/* "1/5", "-2": as Python's Fraction writes it. */
const formatExact = (value) =>
  value === MINUS_INFINITY ? value : value.bottom === 1n ? `${value.top}` : `${value.top}/${value.bottom}`;

/* Round to some places, halves away from zero. */
function formatRounded(value, places) {
  const { top, bottom } = absolute(value);
  const units = (2n * top * 10n ** BigInt(places) + bottom) / (2n * bottom);
  const digits = `${units}`.padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  return `${value.top < 0n && units ? "-" : ""}${whole}${places ? `.${digits.slice(-places)}` : ""}`;
}

/* Put the decimal mark of the page's language for the point. */
const localize = (text) => text.replace(".", SHEET.decimal_mark);

/* Show a value as the page does: whole, a fraction of up to four digits, else rounded to four places; with a true minus. */
function format(value) {
  const text = formatExact(value);
  const isShort = text.replace("-", "").split("/").every((part) => part.length <= 4);
  const whole = value === MINUS_INFINITY || value.bottom === 1n || isShort;
  return (whole ? text : localize(`≈ ${formatRounded(value, 4)}`)).replace("-", "−").replace("inf", "∞");
}

const joinWords = (text) => text.split(BLANKS).filter(Boolean).join(" ");
const replaceEach = (characters, table) => [...characters].map((each) => table[each] ?? each).join("");

/* Read one cell: null where it is empty, {unreadable: why}, or {value, places}; places is null where it is exact. */
function readAnswer(text) {
  text = joinWords(text.replace(UNSEEN, ""));
  if (!text) return null;
  if ([...text].length > SPELLINGS.longest) return { unreadable: "too-long" };
  text = writeSmallDigitsOut(replaceEach(text.replace(LABEL, ""), SPELLINGS.signs));
  if (RAISED.test(text)) return { unreadable: "raised" };
  text = replaceEach(foldText(text), SPELLINGS.signs);
  if (!WRITTEN.test(text) && !DATE.test(text))
    for (const [pattern, changed] of REWRITES) text = joinWords(text.replace(pattern, changed));
  const parts = splitParts(text);
  const isWorked = (part, n) => n < parts.length - 1 && CALCULATION.test(part) && !WRITTEN.test(part);
  const readings = parts.filter((part, n) => !isWorked(part, n)).map(readOneNumber);
  const reading = readings.find(({ unreadable }) => unreadable) ?? joinReadings(readings);
  if (reading.unreadable) return reading;
  const worked = parts.filter(isWorked).map(workOut);
  if (worked.includes(null)) return { unreadable: "over-zero" };
  return worked.every((value) => isRoundingOf(reading, { value })) ? reading : { unreadable: "two-numbers" };
}

/* Return what a calculation gives, such as 1·2 + 0·(−1); null where it divides by 0. */
function workOut(calculation) {
  let total = fraction(0n);
  for (const [, sign, term] of calculation.matchAll(TERM)) {
    let value = fraction(sign === "-" ? -1n : 1n);
    for (const [factor] of term.matchAll(FACTOR)) {
      const [top, bottom = "1"] = factor.replace(" ", "").replace(",", ".").split("/");
      if (BigInt(bottom) === 0n) return null;
      const [units, digits = ""] = top.replace("+", "").split(".");
      value = product(value, fraction(BigInt(units + digits), BigInt(bottom) * 10n ** BigInt(digits.length)));
    }
    total = sum(total, value);
  }
  return total;
}

/* Return texts whose commas are decimal marks throughout with a point in 1,333, which would have two readings. */
function settleCommas(texts) {
  const plain = Object.entries(texts).map(([id, text]) => [id, text, replaceEach(text.trim(), SPELLINGS.plainSigns)]);
  if (!plain.some(([, , each]) => DECIMAL_COMMA.test(each)) || plain.some(([, , each]) => DECIMAL_POINT.test(each))) return texts;
  return Object.fromEntries(plain.map(([id, text, each]) => [id, GROUPED.test(each) ? each.replace(",", ".") : text]));
}

function writeSmallDigitsOut(text) {
  const write = (digits) => replaceEach(digits, SPELLINGS.smallDigits);
  text = text.replace(STACKED, (_, top, bottom) => ` ${write(top)}/${write(bottom)} `);
  return text.replace(RAISED_POWER, (_, digit, power) => `${digit}^${write(power)}`);
}

/* Write characters out that stand for several, such as ½. */
function foldText(text) {
  const apart = [...text].map((character) => {
    const plain = character.normalize("NFKC");
    return plain.includes("\u2044") ? ` ${plain} ` : character;
  });
  return joinWords(apart.join("").normalize("NFKC"));
}

/* Part what stands on both sides of =, ≈ or "or"; what there is too much of stays in the last part. */
function splitParts(text) {
  const parts = [];
  for (let match; parts.length < SPELLINGS.most - 1 && (match = EQUALS.exec(text)); text = text.slice(match.index + match[0].length))
    parts.push(text.slice(0, match.index));
  return [...parts, text];
}

function readOneNumber(text) {
  if (INFINITE.test(text)) return { value: MINUS_INFINITY, places: null };
  if (GROUPED.test(text)) return { unreadable: "two-readings" };
  const match = WRITTEN.exec(text);
  if (match) return readWritten(match.groups);
  const multiplied = PRODUCT.exec(text)?.groups;
  if (multiplied) {
    const factors = multiplied.factors.match(/[0-9]+/gu).map(BigInt);
    return { value: fraction(factors.reduce((a, b) => a * b, multiplied.sign === "-" ? -1n : 1n)), places: null };
  }
  const power = POWER.exec(text);
  if (power) return { value: raise(power.groups.base, power.groups.raised), places: null };
  return { unreadable: DATE.test(text) ? "date" : "not-a-number" };
}

/* Return the most exact of several readings, which must all be of one number. */
function joinReadings(readings) {
  const count = ({ places }) => places ?? Infinity;
  const best = readings.reduce((a, b) => (count(b) > count(a) ? b : a));
  return readings.every((each) => isRoundingOf(each, best)) ? best : { unreadable: "two-numbers" };
}

/* Say whether a number is another one, rounded or cut off to the places that it was written with. */
function isRoundingOf({ value: a, places }, { value: b }) {
  if (a === MINUS_INFINITY || b === MINUS_INFINITY) return a === b;
  if (isSame(a, b)) return true;
  if (places === null || places < 1) return false;
  const inUnits = (value) => product(value, fraction(10n ** BigInt(places)));
  const more = (left, right) => sum(left, product(right, fraction(-1n)));
  const off = inUnits(absolute(more(a, b)));
  const cut = inUnits(more(absolute(b), absolute(a)));
  return 2n * off.top <= off.bottom || (a.top * b.top > 0n && cut.top >= 0n && cut.top < cut.bottom);
}

function raise(base, exponent) {
  const power = BigInt(base) ** BigInt(Math.abs(Number(exponent)));
  return exponent.startsWith("-") ? fraction(1n, power) : fraction(power);
}

function readWritten({ sign, percent, ...groups }) {
  const isDecimal = groups.open ?? groups.decimal ?? groups.power;
  const { value, places } = isDecimal === undefined ? readRational(groups) : readDecimal(groups);
  if (!value) return { unreadable: "over-zero" };
  const share = fraction(sign === "-" ? -1n : 1n, percent ? 100n : 1n);
  return { value: product(value, share), places: places === null ? null : places + (percent ? 2 : 0) };
}

/* Read a fraction, a power below 1 or a decimal that repeats; without a value where it is divided by 0. */
function readRational({ whole, top, bottom, dividend, divisor, root, times, stem, period }) {
  if (root) return { value: raise(root, `-${times}`), places: null };
  if (period) {
    const [units, digits] = stem.split(/[.,]/);
    const size = 10n ** BigInt(digits.length);
    const repeated = fraction(BigInt(period), size * (10n ** BigInt(period.length) - 1n));
    return { value: sum(fraction(BigInt(`0${units}${digits}`), size), repeated), places: null };
  }
  const below = BigInt((bottom ?? divisor).replace(" ", "").replace("+", ""));
  if (below === 0n) return {};
  return { value: sum(fraction(BigInt(whole ?? 0)), fraction(BigInt(top ?? dividend), below)), places: null };
}

function readDecimal({ open, decimal, mantissa, exponent, power }) {
  const [whole, digits = ""] = (open ?? decimal ?? mantissa ?? "1").replace(",", ".").split(".");
  const places = digits.length - Number(exponent ?? power ?? 0);
  const units = BigInt(`0${whole}${digits}`);
  const size = 10n ** BigInt(Math.abs(places));
  /* what goes on is the middle of what it may be */
  if (open) return { value: fraction(2n * units + 1n, 2n * size), places };
  return { value: places > 0 ? fraction(units, size) : fraction(units * size), places };
}
