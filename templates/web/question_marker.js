/* Marking the questions by the rules that mark papers: read forgivingly, by the key or by the student's own numbers. */

/* Say whether two numbers are the same; where decimals were rounded on the way, nearly. */
function isNearly(one, other) {
  const size = absolute(other);
  return compare(findDistance(one, other), product(unitOf(12), compare(size, ONE) < 0 ? ONE : size)) <= 0;
}

/* Return the places of the largest of some numbers, or of the smallest; null where there are several. */
function findExtreme(values, sign = 1) {
  const best = values.reduce((a, b) => (sign * compare(b, a) > 0 ? b : a));
  const places = [...values.keys()].filter((at) => isNearly(values[at], best));
  return places.length === 1 ? places[0] : null;
}

const takeShares = ({ matrix }, matrices, query) => matrices[matrix].map((row) => row[query]);
const findLargestShare = (question, matrices) => [findExtreme(takeShares(question, matrices, question.query))];

function findLeastShare(question, matrices) {
  const shares = takeShares(question, matrices, question.query);
  return [question.keys[findExtreme(question.keys.map((key) => shares[key]), -1)]];
}

/* Return the query whose largest share is the largest, or the smallest. */
const findQueryBy = (sign) => (question, matrices) => {
  const tops = question.queries.map((query) => largest(takeShares(question, matrices, query)));
  return [question.queries[findExtreme(tops, sign)]];
};

function compareOutputs({ token, other }, matrices) {
  return matrices[KEY.stages.at(-1).name].every((row) => isNearly(row[token], row[other])) ? "yes" : "no";
}

/* Return the query that takes most of a value. */
function findMostMoved(question, matrices) {
  const shares = matrices[question.matrix][question.token];
  return [question.asked[findExtreme(question.asked.map((query) => shares[query]))]];
}

/* Return the word to which the face of a die belongs that was rolled: the first has the first faces, then the next. */
function findDrawnWord(question, matrices) {
  let upto = ZERO;
  const word = takeShares(question, matrices, question.query).findIndex((share) => {
    upto = sum(upto, share);
    return compare(sum(product(upto, toNumber(question.faces)), unitOf(9)), toNumber(question.other)) >= 0;
  });
  return word < 0 ? null : [word];
}

/* What follows from a student's own numbers, by the id of the question: of any other nothing does. */
const OWN_ANSWERS = {
  story: findLargestShare,
  "largest-share": findLargestShare,
  "least-share": findLeastShare,
  surest: findQueryBy(1),
  torn: findQueryBy(-1),
  "same-word": compareOutputs,
  "try.heads.first": findLargestShare,
  "try.heads.second": findLargestShare,
  "try.mask.seen": findLargestShare,
  "try.values.moved": findMostMoved,
  "draw-word": findDrawnWord,
};

/* Return the number that follows for a cell of a try, from the student's own cells of it too; null where none does. */
function workTry(question, matrices, numbers) {
  const worked = { ...matrices };
  for (const formula of KEY.tries[question.try]) {
    const { name } = formula;
    worked[name] = tryToWork(() => workFormula(formula, worked));
    if (!worked[name]) return null;
    const [i, j] = question.place;
    if (name === question.line) return worked[name][i][j];
    const own = numbers[`${question.try}.${name}`];
    if (own) worked[name] = worked[name].map((row, at) => row.map((value, to) => (at === own.place[0] && to === own.place[1] ? own.value : value)));
  }
  return null;
}

/* Return all matrices with others for some given ones; null where nothing can be worked from them. */
function workSheet(given) {
  const matrices = { ...KEY_MATRICES, ...given };
  for (const stage of KEY.stages) {
    if (stage.formula.reads.every((name) => matrices[name] === KEY_MATRICES[name])) continue;
    const worked = tryToWork(() => workFormula(stage.formula, matrices));
    if (!worked) return null;
    matrices[stage.name] = worked;
  }
  return matrices;
}

/* Say whether a change of one given number lets the query look most at that token, and at no other as much. */
function isChangeRight(question, { isAsked, i, j, value }) {
  const { top, bottom } = value;
  const old = KEY.given[question.changed][i]?.[j];
  const { entry, denominator } = KEY.limits;
  if (!isAsked || !old || !isFiniteNumber(value) || isEqual(old, value)) return false;
  if (compare(dropSign({ top, bottom }), toNumber(entry)) > 0 || bottom > BigInt(denominator)) return false;
  const changed = KEY.given[question.changed].map((row, at) => row.map((each, to) => (at === i && to === j ? value : each)));
  const matrices = workSheet({ [question.changed]: changed });
  return matrices !== null && findLargestShare(question, matrices)[0] === question.token;
}

const JUDGES = {
  number: ({ answer }, reading) => matchAnswer(reading, readExact(answer)) === "right",
  change: isChangeRight,
};

/* Say whether an answer follows from the student's own numbers. */
function isFollowing(question, reading, matrices, numbers) {
  if (question.line) {
    const own = workTry(question, matrices, numbers);
    return own !== null && matchAnswer(limitPlaces(reading), own) === "right";
  }
  const find = OWN_ANSWERS[question.id];
  return find !== undefined && `${reading}` === `${find(question, matrices)}`;
}

/* Mark what was typed for a question: correct, follows, wrong, unreadable or blank; and keep the number of a try. */
function judgeQuestion(question, typed, written, numbers) {
  const text = joinWords(typed);
  if (!text) return "blank";
  const read = readQuestion(question, text);
  if (read === null) return "unreadable";
  const isRight = JUDGES[question.kind]?.(question, read) ?? `${read}` === `${question.answer}`;
  const isOwn = !isRight && isFollowing(question, read, written, numbers);
  if (question.line) numbers[`${question.try}.${question.line}`] = { value: read.value, place: question.place };
  if (isRight) return "correct";
  return isOwn ? "follows" : "wrong";
}

/* Mark all questions, by their names: what is made of an earlier cell of a try follows. */
function markQuestions(texts, written) {
  const numbers = {};
  return Object.fromEntries(KEY.questions.map((question) => [question.name, judgeQuestion(question, texts[question.name] ?? "", written, numbers)]));
}
