/* Numbers as students write them: the grammar of attnhand/marking/answer_number.py, with fractions of BigInt.
   tests/data/spellings.json is the table that both are held to. */

const MINUS_INFINITY = "-inf";
const LONGEST = 40;
const BLANKS = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
const WRITTEN =
  /^([+-]?) ?(?:(?:(\d+) )?(\d+) ?\/ ?(\d+)|(\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE]([+-]?\d{1,2}))?)( ?%)?$/;
const GROUPED = /^[+-]?[1-9]\d{0,2},\d{3}$/;
const DATE =
  /^(?:\d{1,4}([-\/.])\d{1,2}\1\d{1,4}|\d{1,2}[-. ]+[\p{L}_]{3,}\.?(?:[-. ]+\d{2,4})?|[\p{L}_]{3,}\.?[-. ]+\d{1,4})$/u;

/* Raised, lowered and circled characters that folding would turn into digits, signs or letters of a number. */
const RAISED =
  /[\xaa\xb2\xb3\xb9\xba\u02b0-\u02b8\u02e0-\u02e4\u1d2c-\u1d6a\u1d78\u1d9b-\u1dbf\u2070-\u209c\u2460-\u2473\u24b6-\u24ea\u2c7c\u2c7d\u3251-\u325f\u32b1-\u32bf]/;

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
const written = (value) =>
  value === MINUS_INFINITY ? value : value.bottom === 1n ? `${value.top}` : `${value.top}/${value.bottom}`;

/* Round to some places, halves away from zero. */
function rounded(value, places) {
  const { top, bottom } = absolute(value);
  const units = (2n * top * 10n ** BigInt(places) + bottom) / (2n * bottom);
  const digits = `${units}`.padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  return `${value.top < 0n && units ? "-" : ""}${whole}${places ? `.${digits.slice(-places)}` : ""}`;
}

/* Show a value as the page does: whole, a fraction of up to four digits, else rounded to four places; with a true minus. */
function shown(value) {
  const text = written(value);
  const isShort = text.replace("-", "").split("/").every((part) => part.length <= 4);
  const whole = value === MINUS_INFINITY || value.bottom === 1n || isShort;
  return (whole ? text : `≈ ${rounded(value, 4)}`).replace("-", "−").replace("inf", "∞");
}

/* Read one cell: null where it is empty, {unreadable: why}, or {value, places}; places is null where it is exact. */
function readAnswer(text) {
  text = text.split(BLANKS).filter(Boolean).join(" ");
  if (!text) return null;
  if ([...text].length > LONGEST) return { unreadable: "too-long" };
  if (RAISED.test(text)) return { unreadable: "raised" };
  text = folded(text);
  if (text === "-inf" || text === "- inf") return { value: MINUS_INFINITY, places: null };
  if (GROUPED.test(text)) return { unreadable: "two-readings" };
  const match = WRITTEN.exec(text);
  if (!match) return { unreadable: DATE.test(text) ? "date" : "not-a-number" };
  return match[4] ? readFraction(match) : readDecimal(match);
}

/* Write signs of one character out, such as ½, and use one sign for each kind of dash and stroke. */
function folded(text) {
  const apart = [...text].map((character) => {
    const plain = character.normalize("NFKC");
    return character !== "\u2044" && plain.includes("\u2044") ? ` ${plain} ` : character;
  });
  const plain = apart.join("").normalize("NFKC").replace(/[−–‒]/g, "-").replace(/[⁄∕]/g, "/").replace(/∞/g, "inf");
  return plain.split(BLANKS).filter(Boolean).join(" ");
}

function readFraction([, sign, whole, top, bottom, , , percent]) {
  if (BigInt(bottom) === 0n) return { unreadable: "over-zero" };
  const value = sum(fraction(BigInt(whole ?? 0)), fraction(BigInt(top), BigInt(bottom)));
  return { value: product(value, fraction(sign === "-" ? -1n : 1n, percent ? 100n : 1n)), places: null };
}

function readDecimal([, sign, , , , decimal, power, percent]) {
  const [whole, digits = ""] = decimal.replace(",", ".").split(".");
  const exponent = Number(power ?? 0) - digits.length - (percent ? 2 : 0);
  const units = BigInt(`0${whole}${digits}`) * (sign === "-" ? -1n : 1n);
  const size = 10n ** BigInt(Math.abs(exponent));
  return { value: exponent < 0 ? fraction(units, size) : fraction(units * size), places: Math.max(0, -exponent) };
}
