/* Checking against the key, by the rule that marks papers. This part is in self-checking pages alone. */

const MAX_DIGITS = 12;

/* Digits before the point that are printed: of a whole number, and of one that has more after the point. */
const MAX_WHOLE_DIGITS = 10;
const MAX_DECIMAL_DIGITS = 6;

/* Read a value of the key: whole, a fraction, -inf, or an irrational one as a long decimal. */
function readKey(cell) {
  const text = SHEET.key[cell.id];
  if (text === MINUS_INFINITY) return { value: text, isExact: true };
  const [, sign, whole, digits = "", power = "0", bottom = "1"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?(?:\/(\d+))?$/.exec(text);
  const exponent = Number(power) - digits.length;
  const units = BigInt(`${sign}${whole}${digits}`) * 10n ** BigInt(Math.max(0, exponent));
  const value = fraction(units, BigInt(bottom) * 10n ** BigInt(Math.max(0, -exponent)));
  return { value, isExact: !/[.e]/.test(text) };
}

/* Return how many digits after the point an answer needs, and how many are compared: of a huge number the first two. */
function findDigitLimits({ value: { top, bottom }, isExact }) {
  const exponent = `${absolute(fraction(top / bottom)).top}`.length - 1;
  const compared = MAX_DIGITS - exponent;
  const isHuge = exponent >= (isExact && bottom === 1n ? MAX_WHOLE_DIGITS : MAX_DECIMAL_DIGITS);
  return [isHuge ? 1 - exponent : SHEET.places, compared];
}

/* Return "right", "not-yet", "digits" (right so far, but too few of them), "unreadable", or "" for an empty cell. */
function findMatch(cell) {
  const reading = readAnswer(cell.text);
  if (!reading) return "";
  if (reading.unreadable) return "unreadable";
  const key = readKey(cell);
  if (key.value === MINUS_INFINITY || reading.value === MINUS_INFINITY) {
    return reading.value === key.value ? "right" : "not-yet";
  }
  if (key.isExact && isSame(reading.value, key.value)) return "right";
  if (key.isExact && reading.places === null) return "not-yet";
  const [needed, compared] = findDigitLimits(key);
  const digits = reading.places === null ? needed : Math.min(reading.places, compared);
  const distance = absolute(sum(reading.value, fraction(-key.value.top, key.value.bottom)));
  const unit = digits < 0 ? fraction(10n ** BigInt(-digits)) : fraction(1n, 10n ** BigInt(digits));
  const tolerance = 10n ** 9n + 1n;
  const near = distance.top * 2n * unit.bottom * 10n ** 9n <= distance.bottom * unit.top * tolerance;
  if (near && digits >= needed) return "right";
  return near && digits > 0 ? "digits" : "not-yet";
}

const MARKS = ["right", "not-yet", "unreadable"];

function mark(cell, found) {
  cell.mark = found === "digits" ? "not-yet" : found;
  for (const name of MARKS) cell.td.classList.toggle(`mark-${name}`, name === cell.mark);
  cell.remark = found && say(`check.${found}`, { places: SHEET.places });
  cell.field.setAttribute("aria-label", found ? `${cell.name}: ${cell.remark}` : cell.name);
}

function check() {
  const chosen = SHEET.stages.find((stage) => stage.name === choice.value);
  const counts = { right: 0, "not-yet": 0, unreadable: 0, "": 0 };
  for (const cell of cells.filter((cell) => !chosen || cell.stage === chosen)) {
    mark(cell, findMatch(cell));
    counts[cell.mark] += 1;
  }
  const { right, "not-yet": notyet, unreadable, "": empty } = counts;
  const what = choice.selectedOptions[0].textContent;
  announce(say(notyet + unreadable + empty ? "check.summary" : "check.done", { what, right, notyet, unreadable, empty }));
  document.dispatchEvent(new Event("checked"));
}

const option = (value, text) => make("option", { value }, text);
const choice = make(
  "select",
  { id: "check-what", "aria-label": say("check.what") },
  option("", say("check.all")),
  ...SHEET.stages.map((stage) => option(stage.name, `${stage.name}, ${stage.title}`)),
);
extra.before(choice, button(say("check"), check, { id: "check" }));
whenChanged((cell) => mark(cell, ""));
