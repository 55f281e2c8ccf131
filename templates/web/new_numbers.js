/* New numbers at a stage: those of other sheets, of which the page has what is given and works what comes out. */

const IN_A_ROW = KEY.limits.in_a_row;

/* Return all matrices of another sheet. */
function workOtherSheet({ given }) {
  const matrices = Object.fromEntries(Object.entries(given).map(([name, rows]) => [name, readMatrix(rows)]));
  for (const { name, formula } of KEY.stages) matrices[name] = workFormula(formula, matrices);
  return matrices;
}

/* Return the lines that say what a cell is worked from, with new numbers in them; null where they have no room for these. */
function writeSources({ hints: [, lines], pairs, addends, reads }, values) {
  const write = (value) => writeNumber(lift(value));
  if (reads && reads.length !== values.length) return null;
  /* what is squared is read twice, and so is a score from which the largest of all is subtracted */
  if (reads) return [...new Set(reads.map(([place], n) => `${place} = ${write(values[n])}`))];
  const sides = pairs ? [0, 1].map((side) => values.map((pair) => pair[side])) : [values];
  return sides.map((numbers, n) => lines[n].replace(/: [^:]*$/, `: ${numbers.map(write).join(" ")}`));
}

/* Return the cells of a stage that can be asked on new numbers: those in which a slip shows first, of these each with a
   number of its own, three of every sheet in turn. */
function listExercises(stage, slipId) {
  const described = SHEET.stages.find(({ name }) => name === stage.name)?.cells ?? [];
  const slip = stage.slips.find(({ id }) => id === slipId);
  const found = KEY.more.flatMap((sheet, at) => {
    sheet.matrices ??= workOtherSheet(sheet);
    const wrong = slip && workSlip(slip, makeContext(stage, sheet.matrices));
    const seen = new Set();
    const counts = {};
    return described.flatMap((cell) => {
      const [i, j] = turnPlace(cell.row, cell.column);
      const parts = listParts(stage, sheet.matrices, i, j);
      const values = cell.pairs ? parts.map((part) => (KEY.is_rows ? [...part].reverse() : part)) : parts.flat();
      /* what a mask hides reads nothing, and is a score all the same */
      const lines = writeSources(cell, stage.form === "mask" ? [sheet.matrices[stage.formula.reads[0]][i][j]] : values);
      if (!lines) return [];
      const right = sheet.matrices[stage.name][i][j];
      const isHidden = Boolean(slip) && (!wrong || isOne(wrong[i][j], right));
      const number = `${isHidden} ${formatExact(right)}`;
      const rank = 2 * isHidden + seen.has(number);
      seen.add(number);
      counts[rank] = (counts[rank] ?? 0) + 1;
      return [{ cell, i, j, lines, right, matrices: sheet.matrices, order: [rank, Math.ceil(counts[rank] / IN_A_ROW), at] }];
    });
  });
  const compareOrders = (a, b) => a.order.map((place, n) => place - b.order[n]).find(Boolean) ?? 0;
  return found.sort(compareOrders);
}

/* Return why a number is wrong, if a slip gives it. */
function findSlip(stage, { i, j, matrices }, text, reading) {
  const context = makeContext(stage, matrices);
  const isFrom = (slip) => {
    const wrong = workSlip(slip, context);
    return wrong?.[i]?.[j] && isEvidence(reading, wrong[i][j]);
  };
  const slips = stage.slips.filter(isFrom);
  if (slips.length !== 1) return "";
  const { perhaps, why } = stage.reasons[slips[0].id];
  return `${perhaps} ${fillReason(why, nameNumbers(stage, { i, j, text }, matrices, KEY.in_decimals))} `;
}
