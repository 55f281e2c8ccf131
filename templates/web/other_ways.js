/* A whole sheet worked in another way, as a paper is read: its matrices all turned, or with e and √d_k as they are. */

const isCounted = ({ mark }) => mark === "correct" || mark === "follows";
const listMarks = ({ marks }) => Object.values(marks).flat();
const isStageRight = ({ marks }, name) => marks[name].some(({ mark }) => mark === "correct") && marks[name].every(isCounted);

/* Say whether two stages more are right so, and three quarters of what was written. */
function isMeantSo(other, plain, names) {
  const counted = listMarks(other).filter(isCounted).length;
  const written = listMarks(other).filter(({ mark }) => mark !== "blank").length;
  const right = names.filter((name) => isStageRight(other, name) && !isStageRight(plain, name));
  return right.length > 1 && counted > listMarks(plain).filter(isCounted).length && counted * 4 >= written * 3;
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

/* Mark by other numbers in the place of the key's. */
function markByKey(matrices, texts) {
  const before = KEY.stages.map((stage) => stage.key);
  const change = (stage, a) => {
    stage.key = a;
    KEY_MATRICES[stage.name] = a;
  };
  KEY.stages.forEach((stage) => change(stage, matrices[stage.name]));
  try {
    const found = markPlainly(texts);
    return { ...found, reasons: explainSlips(found) };
  } finally {
    KEY.stages.forEach((stage, n) => change(stage, before[n]));
  }
}

function markExactly(texts, plain) {
  const wrong = listMarks(plain).filter(({ mark, reading }) => mark === "wrong" && reading.places > 0);
  if (!Object.keys(KEY.exact).length || wrong.length < MIN_WRONG_DECIMALS) return null;
  const matrices = Object.fromEntries(Object.entries(KEY.exact).map(([name, rows]) => [name, readMatrix(rows)]));
  const other = markByKey(matrices, texts);
  const isRead = ({ mark }) => mark !== "blank" && mark !== "unreadable";
  const differing = Object.keys(plain.marks).filter((name) =>
    !isSameMatrix(KEY_MATRICES[name], matrices[name]) && plain.marks[name].some(isRead));
  if (!isMeantSo(other, plain, differing)) return null;
  const marks = Object.fromEntries(Object.entries(other.marks).map(([name, cells]) =>
    [name, cells.map((cell, n) => {
      const own = plain.marks[name][n];
      /* what is the sheet's own number is right beside exact ones, too */
      if (own.mark === "correct" || (isCounted(own) && !isCounted(cell))) return own;
      return { ...cell, key: own.key, note: isCounted(cell) ? "exact" : cell.note };
    })]));
  return { ...other, marks, otherWay: "exact" };
}

/* Mark all that is written as it is meant, with why each slip is one, by id of the cell. */
function markSheet(texts) {
  const plain = { ...markPlainly(texts), otherWay: "" };
  if (!listMarks(plain).some(({ mark }) => mark === "wrong")) return { ...plain, reasons: {} };
  return markTurned(texts, plain) ?? markExactly(texts, plain) ?? { ...plain, reasons: explainSlips(plain) };
}
