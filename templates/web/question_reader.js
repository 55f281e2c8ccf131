/* What students write for an answer, read by the rules that read papers: in words, in sentences, with denials.
   A text becomes events: a word that means something, a sign, or nothing. What can be read in two ways is null. */

const fold = (text) => [...text].map((character) => character.toUpperCase().toLowerCase()).join("");
const simplify = (text) => fold(text.normalize("NFKC")).replace(/[\s.,;:!?^*_"'()]/gu, "").replaceAll("−", "-");
const foldWords = (text) => fold(replaceEach(text, SPELLINGS.letters)).normalize("NFKD").replace(/\p{Mn}/gu, "");

const inText = (name, flags = "g") => new RegExp(SPELLINGS[name], flags);
const [WORD, SHARE, NUMBER_SIGN, ENDING, IN_TEXT, COLON, TIMES, RANGE] =
  ["word", "share", "numberSign", "ordinalEnding", "numberInText", "colon", "times", "range"].map((name) => inText(name));
const [NEGATIVE, LOOSE_DIGIT, ARROW] = ["negative", "looseDigit", "arrow"].map((name) => inText(name, ""));
const [MINUS_WORD, MATRIX] = ["minusWord", "matrix"].map((name) => inText(name, "gi"));
const CHANGE = new RegExp(`^(?:${SPELLINGS.change})$`, "iu");
const MATRIX_ALONE = new RegExp(`^(?:${SPELLINGS.matrix})$`, "i");
const MATRIX_LETTERS = /(?<![\p{L}\p{N}_'])([AZА])(?![\p{L}\p{N}_'])/gu;
const ARTICLE = /(?<![\p{L}\p{N}_])a (?=Z)/gu;
const QUOTES = /^[ "'“”„‘’«»]+|[ "'“”„‘’«»]+$/gu;
const DIGITS = /^[0-9]+$/;
const BREAKS = ",;:!?().–—";
const TEXT_SIGNS = { ...SPELLINGS.signs, ":": ":" };
const PATTERNS = (KEY.patterns ?? []).map((pattern) => new RegExp(`(?:${pattern})(?= )`, "y"));

/* What is thrown where an answer is none, or one of two readings. */
const UNCLEAR = Symbol("unclear");
function refuse(isUnclear) {
  if (isUnclear) throw UNCLEAR;
}

/* Read an answer: null where it cannot be read. */
function readQuestion(question, text) {
  if ([...text].length > SPELLINGS.longestAnswer) return null;
  try {
    return READERS[question.kind](question, text);
  } catch (error) {
    if (error === UNCLEAR) return null;
    throw error;
  }
}

const READERS = {
  token(question, text) {
    const found = readTokens(question, text);
    refuse(found.length !== 1);
    return found;
  },
  tokens: readTokens,
  number: readNumberAnswer,
  choice: readChoice,
  change: readChange,
};

const has = (events, ...meanings) => events.some(({ meaning }) => meanings.includes(meaning));

/* Return what a text says, word by word, in the first language of which it has a word. */
function scan({ lexicons }, text) {
  let events = [];
  for (const words of lexicons) {
    events = scanWords(text, Object.entries(words));
    const isNo = events.length && events[0].meaning !== "no" && fitsWholly(events[0].text, PATTERNS[words.interjection]);
    if (isNo && events[1]?.text === ",") events = events.slice(2);
    if (events.some(({ meaning }) => !["", ",", "label"].includes(meaning))) break;
  }
  refuse(has(events, "unsure", "not_only"));
  const found = events.filter(({ meaning }) => meaning !== "skip");
  return found.map((event) => (event.meaning === "interjection" ? { ...event, meaning: "not" } : event));
}

function matchAt(pattern, line, at) {
  pattern.lastIndex = at;
  return pattern.test(line) ? pattern.lastIndex : -1;
}

const fitsWholly = (text, pattern) => matchAt(pattern, `${text} `, 0) === text.length;

function scanWords(text, words) {
  const line = `${(foldWords(text).match(WORD) ?? []).join(" ")} `;
  const events = [];
  for (let at = 0; line.slice(at).trim();) {
    let [end, meaning] = [-1, ""];
    for (const [each, number] of words) {
      const itsEnd = matchAt(PATTERNS[number], line, at);
      if (itsEnd > end) [end, meaning] = [itsEnd, each];
    }
    if (end < 0) end = line.indexOf(" ", at);
    if (meaning === "because" && events.length) break;
    const word = line.slice(at, end);
    events.push({ meaning: BREAKS.includes(word) ? "," : meaning, text: word });
    at = end + 1;
  }
  return events;
}

function splitClauses(events, ...borders) {
  const clauses = [[]];
  for (const event of events) {
    if (event.meaning === "," || borders.includes(event.meaning)) clauses.push([]);
    if (event.meaning !== ",") clauses.at(-1).push(event);
  }
  return clauses.filter((clause) => clause.length);
}

/* Return which of some meanings are affirmed, and which are denied. */
function findClaims(events, meanings, mayBeList = true) {
  const [affirmed, denied] = [new Set(), new Set()];
  const isNamed = (meaning) => meanings.includes(meaning);
  let wasDenied = false;
  for (const clause of splitClauses(events, "but")) {
    const said = clause.map(({ meaning }) => meaning);
    const named = said.filter(isNamed);
    refuse(mayBeList && wasDenied && named.length === said.length);
    const first = said.indexOf("not");
    wasDenied = first >= 0;
    if (!wasDenied) {
      named.forEach((meaning) => affirmed.add(meaning));
      continue;
    }
    refuse(!named.length);
    const after = said.slice(first).filter(isNamed);
    if (after.length) said.slice(0, first).filter(isNamed).forEach((meaning) => affirmed.add(meaning));
    (after.length ? after : named).forEach((meaning) => denied.add(meaning));
    wasDenied = after.length > 0;
  }
  refuse([...affirmed].some((meaning) => denied.has(meaning)));
  return [[...affirmed], [...denied]];
}

/* Read one of the words that the question offers, how it alone begins, or a sentence that says which it is. */
function readChoice(question, text) {
  const written = simplify(text.normalize("NFKC").replace(ARTICLE, "@"));
  const ids = Object.keys(question.spellings);
  for (const fits of [(spelling) => spelling === written, (spelling) => spelling.startsWith(written)]) {
    const found = ids.filter((choice) => question.spellings[choice].map(simplify).some(fits));
    if (written && found.length === 1) return found[0];
  }
  const plain = text.normalize("NFKC").replaceAll("*", "");
  const events = scan(question, plain.replace(MATRIX_LETTERS, (letter) => (letter === "Z" ? "@z" : "@a")));
  if (ids.includes("outputs")) return judgeWhatChanges(events);
  return ids.includes("yes") ? judgeYesOrNo(events) : judgeByElimination(events, ids);
}

function judgeByElimination(events, ids) {
  const unchanged = ids.find((choice) => choice === "same" || choice === "nothing") ?? "";
  const said = [];
  for (const clause of splitClauses(events, "but")) {
    refuse(has(clause, "axis"));
    if (has(clause, "rest")) continue;
    const meanings = { stay: unchanged, less: ids.includes("less") ? "less" : "not" };
    if (unchanged && has(clause, "change") && has(clause, "not", "nothing"))
      Object.assign(meanings, { not: "", nothing: "", change: unchanged });
    said.push(...clause.map((event) => ({ ...event, meaning: meanings[event.meaning] ?? event.meaning })));
    said.push({ meaning: ",", text: "," });
  }
  const [affirmed, denied] = findClaims(said, ids, false);
  const left = affirmed.length || !denied.length ? affirmed : ids.filter((choice) => !denied.includes(choice));
  refuse(left.length !== 1);
  return left[0];
}

function judgeYesOrNo(events) {
  const claims = new Set();
  for (const clause of splitClauses(events, "but"))
    for (const { meaning } of clause)
      if (meaning === "equal" || meaning === "different")
        claims.add((meaning === "different") !== has(clause, "not", "no") ? "no" : "yes");
  const said = events.map(({ meaning }) => meaning).filter((meaning) => ["yes", "no", "not"].includes(meaning));
  const first = said.length && said[0] !== "not" ? said[0] : [...claims].join("");
  refuse((first !== "yes" && first !== "no") || claims.has(first === "yes" ? "no" : "yes"));
  refuse(first === "no" && said.includes("yes"));
  refuse(first === "yes" && !claims.size && (said.includes("no") || said.includes("not")));
  return first;
}

const BOTH = ["weights", "outputs"];
const EITHER = [...BOTH, "weights-and-outputs"];
const listMatrices = (clause) => (has(clause, "weights-and-outputs") ? BOTH : BOTH.filter((name) => has(clause, name)));

/* Return what is said to change of A and Z. What is not named stays, where another is said to change. */
function judgeWhatChanges(events) {
  refuse(has(events, "or"));
  const found = new Map();
  let [saysNothing, isUnchanged, last, carried] = [false, false, null, []];
  const told = events.filter(({ text }) => text !== ":");
  const all = splitClauses(told, "but", "and");
  const hasOthers = all.filter((clause) => listMatrices(clause).length).length > 1;
  all.forEach((clause, n, clauses) => {
    refuse(isAmbiguous(clause, hasOthers));
    const named = [...carried, ...listMatrices(clause)];
    carried = [];
    const [isChange, isStay] = [has(clause, "change"), has(clause, "stay")];
    const hasState = isChange || isStay;
    const isDenied = has(clause, "not") || (named.length > 0 && has(clause, "nothing"));
    if (namesOnly(clause, clauses[n + 1] ?? [])) {
      carried = named;
      return;
    }
    if (hasState) last = { isChange, isDenied };
    if (named.length) {
      const changes = findChange(clause, last, isDenied, hasState);
      const others = has(clause, "only") ? BOTH.filter((name) => !named.includes(name)) : [];
      for (const [name, value] of [...named.map((each) => [each, changes]), ...others.map((each) => [each, !changes])]) {
        refuse((found.get(name) ?? value) !== value);
        found.set(name, value);
      }
    } else if (has(clause, "nothing")) {
      saysNothing = true;
      refuse(isStay);
    } else if (hasState) {
      isUnchanged ||= isChange === isDenied;
    } else {
      refuse(isDenied && found.size > 0);
    }
  });
  const changed = [...found.keys()].filter((name) => found.get(name));
  if (!changed.length && (saysNothing || found.size === 2 || (isUnchanged && !found.size))) return "nothing";
  refuse(!changed.length || saysNothing);
  return changed.length === 2 ? "weights-and-outputs" : changed[0];
}

const TELLING = ["change", "stay", "not", "nothing", "only", "too", "affirm"];

/* Say whether a clause has two readings: "not both", "Z not A", a change that stays, or what a word says is unknown. */
function isAmbiguous(clause, hasOthers) {
  const isNamed = listMatrices(clause).length > 0;
  const at = clause.findIndex(({ meaning }) => meaning === "not");
  if (has(clause, "change") && has(clause, "stay")) return true;
  if (isNamed && at >= 0) {
    const [before, after] = [clause.slice(0, at), clause.slice(at)];
    if (has(after, "weights-and-outputs") || (listMatrices(before).length && listMatrices(after).length)) return true;
  }
  return hasOthers && isNamed && !has(clause, ...TELLING) && has(clause, "");
}

/* Say whether a clause only names a matrix, and what is said of it is said of another, too: A | and Z change. */
function namesOnly(clause, after) {
  if (has(clause, ...TELLING)) return false;
  if (!listMatrices(clause).length || !has(after.slice(0, 1), "and") || !listMatrices(after).length) return false;
  const first = after.findIndex(({ meaning }) => EITHER.includes(meaning));
  return !has(after.slice(0, first), "not", "only");
}

/* Say whether a matrix is said to change: in so many words, or by what was said of another before. */
function findChange(clause, last, isDenied, hasState) {
  if (!last) return !isDenied;
  const didChange = last.isChange !== last.isDenied;
  if (hasState) return didChange;
  if (has(clause, "too") && !(isDenied && didChange)) return didChange;
  if (isDenied && !(last.isDenied && !last.isChange)) return !last.isChange;
  refuse(isDenied || !(didChange || has(clause, "only", "but") || (last.isChange && has(clause, "affirm"))));
  return true;
}

/* Read "3", "token 3", "x₃", "the third", "1, 2 and 4", or the words of the tokens, which may be signs. */
function readTokens(question, text) {
  const names = question.words.map(fold);
  const whole = fold(text.normalize("NFKC").replace(QUOTES, ""));
  const at = names.indexOf(whole);
  if (at >= 0 && at === names.lastIndexOf(whole) && !DIGITS.test(whole)) return [at];
  let plain = text.replace(NUMBER_SIGN, " ").replace(ENDING, "$1").normalize("NFKC");
  plain = replaceEach(plain, TEXT_SIGNS).replace(MINUS_WORD, "-");
  if (question.kind === "token") plain = plain.replace(SHARE, " ~ ");
  refuse(NEGATIVE.test(plain) || [...plain.matchAll(RANGE)].some(([, a, b]) => Number(b) - Number(a) !== 1));
  const events = nameTokens(scan(question, plain));
  const meanings = events.map(({ meaning }) => meaning).filter((meaning) => meaning.includes("="));
  const [affirmed, denied] = findClaims(events, meanings);
  const sort = (places) => [...new Set(places)].sort((a, b) => a - b);
  const takePlaces = (all, ...kinds) => sort(all.filter(([kind]) => kinds.includes(kind)).map((each) => Number(each.slice(2))));
  const [found, byWord, byNumber, refused] =
    [takePlaces(affirmed, "w", "n"), takePlaces(affirmed, "w"), takePlaces(affirmed, "n"), takePlaces(denied, "w", "n")];
  refuse(!found.length || (found.length > 1 && has(events, "or")) || found.some((place) => refused.includes(place)));
  refuse(byWord.length && byNumber.length && `${byWord}` !== `${byNumber}`);
  return found;
}

/* Return events in which a token that is named means "n=2" by its number, "w=2" by its word. */
function nameTokens(events) {
  const kinds = events.map(({ meaning, text }) => (DIGITS.test(text) ? "digits" : meaning.split(" ")[0]));
  const found = [];
  events.forEach((event, n) => {
    const { meaning, text } = event;
    const [kind, count] = [kinds[n], meaning.split(" ").at(-1)];
    refuse(["around", "bound", "clash"].includes(kind));
    if (kind === "digits") {
      found.push({ meaning: text.length <= 3 ? `n=${Number(text) - 1}` : "", text });
    } else if (kind === "numbers" || kind === "ordinals") {
      const isMeant = meaning !== "numbers 1" || kinds[n - 1] !== "ordinals";
      found.push({ meaning: isMeant ? `n=${Number(count) - 1}` : "", text });
    } else if (kind === "token") {
      found.push({ meaning: `w=${count}`, text });
    } else if (kind !== "label" && !(text === "." && kinds[n + 1] === "digits")) {
      found.push(event);
    }
  });
  return found;
}

/* Read a number as in a cell, or among words. */
function readNumberAnswer(question, text) {
  const reading = readAnswer(text);
  return reading && !reading.unreadable ? reading : readNumberInWords(question, text);
}

/* Write signs of one character out, as in a cell. */
function foldSigns(text) {
  const written = writeSmallDigitsOut(replaceEach(text, SPELLINGS.signs));
  refuse(RAISED.test(written));
  return replaceEach(foldText(written), SPELLINGS.signs);
}

function readSurely(text) {
  const reading = readAnswer(text);
  refuse(!reading || reading.unreadable);
  return reading;
}

function readNumberInWords(question, text) {
  let plain = foldSigns(text.replace(COLON, ",")).replace(MINUS_WORD, "-").replace(TIMES, "");
  const written = [...plain.matchAll(IN_TEXT)].map(([each]) => readSurely(each));
  plain = plain.replace(IN_TEXT, " ~ ");
  refuse(LOOSE_DIGIT.test(plain));
  const numbers = [];
  const events = [];
  for (const event of scan(question, plain)) {
    const [kind, count] = event.meaning.split(" ");
    refuse(kind === "bound");
    if ((kind === "parts" || kind === "percent") && events.at(-1)?.meaning.startsWith("=")) {
      const { value, places } = numbers.pop();
      refuse(value === MINUS_INFINITY);
      const share = fraction(1n, kind === "percent" ? 100n : BigInt(count));
      numbers.push({ value: product(value, share), places: kind === "parts" || places === null ? null : places + 2 });
      continue;
    }
    if (event.text === "~") numbers.push(written.shift());
    else if (kind === "numbers" || kind === "times") numbers.push({ value: fraction(BigInt(count)), places: 0 });
    else if (kind === "parts") numbers.push({ value: fraction(1n, BigInt(count)), places: null });
    else {
      events.push(event);
      continue;
    }
    events.push({ meaning: `=${numbers.length - 1}`, text: event.text });
  }
  const meanings = events.map(({ meaning }) => meaning).filter((meaning) => meaning.startsWith("="));
  const [chosen, refused] = findClaims(events, meanings).map((all) => all.map((each) => numbers[Number(each.slice(1))]));
  refuse(!chosen.length || chosen.some((each) => refused.some(({ value }) => formatExact(value) === formatExact(each.value))));
  const joined = joinReadings(chosen);
  refuse(joined.unreadable);
  return joined;
}

/* Read "W_Q[1,2] = −3", "1,2 to -3", or a sentence; a matrix that is not named is the one that is asked. */
function readChange(question, text) {
  const { name, row, column, value } = findChangeParts(question, text);
  const [i, j] = turnPlace(Number(row) - 1, Number(column) - 1);
  const isAsked = ["", question.changed, question.changed.replace(/^h\d+\./, "")].map(simplify).includes(simplify(name));
  return { isAsked, i, j, value };
}

function findChangeParts(question, text) {
  const { name, row, column, value } = CHANGE.exec(text)?.groups ?? {};
  if (row && (!name.trim() || MATRIX_ALONE.test(name.trim()))) {
    refuse(row.length > 2 || column.length > 2);
    const reading = readAnswer(value);
    if (reading && !reading.unreadable) return { name: name.trim(), row, column, value: reading.value };
  }
  return findChangeInWords(question, foldWords(foldSigns(text).replace(MINUS_WORD, "-")));
}

function findChangeInWords(question, text) {
  refuse(has(scan(question, text), "not", "by"));
  const named = [...new Set((text.match(MATRIX) ?? []).map(simplify))];
  const { rest, places } = takePlaces(question, text.replace(MATRIX, " "));
  let numbers = [...rest.matchAll(IN_TEXT)].filter(({ index }) => !isOld(question, rest.slice(0, index)));
  if (numbers.length === 2 && ARROW.test(rest.slice(0, numbers[1].index))) numbers = numbers.slice(1);
  refuse(places.length !== 1 || named.length > 1 || numbers.length !== 1);
  return { name: named[0] ?? "", ...places[0], value: readSurely(numbers[0][0]).value };
}

/* Return a text without the places that it names, and these: [2,3], row 2 column 3. */
function takePlaces({ lexicons }, text) {
  const patterns = [SPELLINGS.place];
  for (const words of lexicons) {
    const [row, column] = ["row", "column"].map((name) => `(?:${KEY.patterns[words[name]]}) ?(?<${name}>[0-9]{1,2})`);
    patterns.push(`${row}[ ,;]+(?:[^ 0-9]+ )?${column}`, `${column}[ ,;]+(?:[^ 0-9]+ )?${row}`);
  }
  for (const pattern of patterns.map((each) => new RegExp(each, "g"))) {
    const places = [...text.matchAll(pattern)].map(({ groups: { row, column } }) => ({ row, column }));
    if (places.length) return { rest: text.replace(pattern, " "), places };
  }
  return { rest: text, places: [] };
}

/* Say whether a number stands after a word like "from" or "instead of". */
const isOld = ({ lexicons }, before) =>
  lexicons.some((words) => new RegExp(`(?:^|[^a-zа-яіїєґ])(?:${KEY.patterns[words.from]}) ?$`).test(before));
