/* A whole sheet worked in another way, as a paper is read: its matrices all turned, with e and √d_k as they are, or
   with the largest score of each query subtracted. */

const listMarks = ({ marks }) => Object.values(marks).flat();
const isStageRight = ({ marks }, name) => marks[name].some(({ mark }) => mark === "correct") && marks[name].every(isCounted);

/* Say whether so many stages more are right so, and three quarters of what was written. */
function isMeantSo(other, plain, names, { least = 2, isEnough = () => true } = {}) {
  const counted = listMarks(other).filter(isCounted).length;
  const written = listMarks(other).filter(({ mark }) => mark !== "blank").length;
  const right = names.filter((name) => isStageRight(other, name) && !isStageRight(plain, name) && isEnough(other.marks[name]));
  return right.length >= least && counted > listMarks(plain).filter(isCounted).length && counted * 4 >= written * 3;
}

/* Read a sheet with its rows for columns: on a page only square matrices can be turned, so all else is empty. */
function markTurned(texts, plain) {
  const turned = {};
  const typedIn = {};
  for (const { cells, key } of KEY.stages) {
    const idsByPlace = new Map(cells.map(({ id, row, column }) => [`${row} ${column}`, id]));
    if (key.length !== key[0].length && cells.some(({ id }) => (texts[id] ?? "").trim())) return null;
    for (const { id, row, column } of cells) {
      typedIn[id] = idsByPlace.get(`${column} ${row}`) ?? id;
      turned[id] = idsByPlace.has(`${column} ${row}`) ? texts[typedIn[id]] ?? "" : "";
    }
  }
  const other = markPlainly(turned);
  if (!isMeantSo(other, plain, Object.keys(other.marks))) return null;
  /* a mark stands where its number was typed */
  const move = ([id, reason]) => [typedIn[id], reason];
  const reasons = Object.fromEntries(Object.entries(explainSlips(other)).map(move));
  for (const cell of listMarks(other)) cell.id = typedIn[cell.id];
  return { ...other, reasons, otherWay: "turned" };
}

/* With fewer wrong decimals nobody has worked with e. */
const MIN_WRONG_DECIMALS = 4;

/* Mark by the rules, formulas and numbers of another way in the place of the key's. */
function markByWay({ stages, ...rules }, texts) {
  const before = { in_decimals: KEY.in_decimals, rules: KEY.rules, stages: KEY.stages.map((stage) => ({ ...stage })) };
  const change = (to) => {
    Object.assign(KEY, { in_decimals: to.in_decimals, rules: to.rules });
    KEY.stages.forEach((stage, n) => {
      Object.assign(stage, to.stages[n]);
      KEY_MATRICES[stage.name] = stage.key;
    });
  };
  change({ ...rules, stages });
  try {
    const found = markPlainly(texts);
    return { ...found, reasons: explainSlips(found) };
  } finally {
    change(before);
  }
}

function markExactly(texts, plain) {
  const wrong = listMarks(plain).filter((cell) => isUnexplained(cell) && cell.reading.places > 0);
  return wrong.length < MIN_WRONG_DECIMALS ? null : markOtherwise(texts, plain, "exact", 2);
}

/* 2 for what is right, 1 for what follows from the student's own numbers, 0 for what does not count. */
const rankMark = (cell) => (isCounted(cell) ? 1 + (cell.mark === "correct") : 0);

/* Return the cells of a stage as they count: by another way where that is nowhere worse and somewhere better. With the
   largest subtracted all of a query are the one or the other, but for the worked cell, which is printed as the sheet
   asks it; decimals agree with no number by chance, so each is on its own. */
function takeBetterMarks(own, other, way) {
  const isAlone = (cell) => way !== "shifted" || cell.isPrinted;
  const isBeside = (n) => (_, m) => m === n || (!isAlone(own[n]) && !isAlone(own[m]) && own[m].j === own[n].j);
  return own.map((cell, n) => {
    const gains = own.map((plain, m) => rankMark(other[m]) - rankMark(plain)).filter(isBeside(n));
    if (gains.some((gain) => gain < 0) || !gains.some((gain) => gain > 0)) return cell;
    if (!isCounted(other[n])) return other[n];
    return cell.mark === "correct" ? cell : { ...other[n], key: cell.key, note: way };
  });
}

/* Mark by what another way gives; null where it was not meant so, or so many stages more are not right then. */
function markOtherwise(texts, plain, way, least) {
  if (!KEY.others[way]) return null;
  const other = markByWay(KEY.others[way], texts);
  const isRead = ({ mark }) => mark !== "blank" && mark !== "unreadable";
  const isOther = ({ key }, n) => !isSameMatrix(key, KEY.others[way].stages[n].key ?? key);
  const differing = KEY.stages.filter(isOther).map(({ name }) => name).filter((name) => plain.marks[name]?.some(isRead));
  const marks = Object.fromEntries(Object.entries(other.marks).map(([name, cells]) =>
    [name, takeBetterMarks(plain.marks[name], cells, way)]));
  /* a stage that is right as the sheet asks it was not worked the other way */
  const rightStages = Object.keys(plain.marks).filter((name) => isStageRight(plain, name));
  for (const { id } of rightStages.flatMap((name) => plain.marks[name])) delete other.reasons[id];
  const right = { ...other, marks, otherWay: way };
  /* one stage is little: what follows of made-up numbers must not pass for it */
  const isMostlyCorrect = (cells) => 2 * cells.filter(({ mark }) => mark === "correct").length >= cells.length;
  const isEnough = way === "shifted" ? isMostlyCorrect : undefined;
  return isMeantSo(right, plain, differing, { least, isEnough }) ? right : null;
}

/* Mark all that is written as it is meant, with why each slip is one, by id of the cell. */
function markSheet(written) {
  const texts = settleCommas(written);
  const plain = { ...markPlainly(texts), otherWay: "" };
  if (!listMarks(plain).some(({ mark }) => mark === "wrong")) return { ...plain, reasons: {} };
  return markTurned(texts, plain) ?? markExactly(texts, plain) ??
    markOtherwise(texts, plain, "shifted", 1) ?? { ...plain, reasons: explainSlips(plain) };
}
