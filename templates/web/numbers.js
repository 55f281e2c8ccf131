/* Numbers as students write them, with fractions of BigInt. SPELLINGS, the table and the patterns
   that papers are read by, stands before this: one grammar for both. */

const MINUS_INFINITY = "-inf";
const whole = (pattern) => new RegExp(`^(?:${pattern})$`, "u");
const BLANKS = new RegExp(SPELLINGS.blanks, "u");
const RAISED = new RegExp(SPELLINGS.raised, "u");
const POWER_OF_TEN = new RegExp(SPELLINGS.powerOfTen, "gu");
const WRITTEN = whole(SPELLINGS.number);
const GROUPED = whole(SPELLINGS.thousands);
const DATE = whole(SPELLINGS.date);

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

/* Show a value as the page does: whole, a fraction of up to four digits, else rounded to four places; with a true minus. */
function format(value) {
  const text = formatExact(value);
  const isShort = text.replace("-", "").split("/").every((part) => part.length <= 4);
  const whole = value === MINUS_INFINITY || value.bottom === 1n || isShort;
  return (whole ? text : `≈ ${formatRounded(value, 4)}`).replace("-", "−").replace("inf", "∞");
}

/* Read one cell: null where it is empty, {unreadable: why}, or {value, places}; places is null where it is exact. */
function readAnswer(text) {
  text = text.split(BLANKS).filter(Boolean).join(" ");
  if (!text) return null;
  if ([...text].length > SPELLINGS.longest) return { unreadable: "too-long" };
  const replaceEach = (characters, table) => [...characters].map((each) => table[each] ?? each).join("");
  text = text.replace(POWER_OF_TEN, (_, power) => `10^${replaceEach(power, SPELLINGS.superscripts)}`);
  if (RAISED.test(text)) return { unreadable: "raised" };
  text = replaceEach(foldText(text), SPELLINGS.signs);
  if (text === "-inf" || text === "- inf") return { value: MINUS_INFINITY, places: null };
  if (GROUPED.test(text)) return { unreadable: "two-readings" };
  const match = WRITTEN.exec(text);
  if (!match) return { unreadable: DATE.test(text) ? "date" : "not-a-number" };
  return match.groups.top ? readFraction(match.groups) : readDecimal(match.groups);
}

/* Write characters out that stand for several, such as ½. */
function foldText(text) {
  const apart = [...text].map((character) => {
    const plain = character.normalize("NFKC");
    return character !== "\u2044" && plain.includes("\u2044") ? ` ${plain} ` : character;
  });
  return apart.join("").normalize("NFKC").split(BLANKS).filter(Boolean).join(" ");
}

function readFraction({ sign, whole, top, bottom, percent }) {
  if (BigInt(bottom) === 0n) return { unreadable: "over-zero" };
  const value = sum(fraction(BigInt(whole ?? 0)), fraction(BigInt(top), BigInt(bottom)));
  return { value: product(value, fraction(sign === "-" ? -1n : 1n, percent ? 100n : 1n)), places: null };
}

function readDecimal({ sign, decimal, mantissa, exponent, power, percent }) {
  const [whole, digits = ""] = (decimal ?? mantissa ?? "1").replace(",", ".").split(".");
  const places = digits.length - Number(exponent ?? power ?? 0) + (percent ? 2 : 0);
  const units = BigInt(`0${whole}${digits}`) * (sign === "-" ? -1n : 1n);
  const size = 10n ** BigInt(Math.abs(places));
  return { value: places > 0 ? fraction(units, size) : fraction(units * size), places };
}
