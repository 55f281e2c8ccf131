/* New numbers at a stage: those of other sheets, of which the page has what is given and works what comes out. */

/* Return all matrices of another sheet. */
function workOtherSheet({ given }) {
  const matrices = Object.fromEntries(Object.entries(given).map(([name, rows]) => [name, readMatrix(rows)]));
  for (const { name, formula } of KEY.stages) matrices[name] = workFormula(formula, matrices);
  return matrices;
}

/* Return the lines that say what a cell is worked from, with new numbers in them; null where they have no room for these. */
function writeSources({ hints: [, lines], pairs, addends, reads }, values) {
  const write = (value) => writeNumber(lift(value));
  if (reads) return reads.length === values.length ? reads.map(([place], n) => `${place} = ${write(values[n])}`) : null;
  const sides = pairs ? [0, 1].map((side) => values.map((pair) => pair[side])) : [values];
  return sides.map((numbers, n) => lines[n].replace(/: [^:]*$/, `: ${numbers.map(write).join(" ")}`));
}

/* Return the cells of a stage that can be asked on new numbers. */
function listExercises(stage) {
  const described = SHEET.stages.find(({ name }) => name === stage.name)?.cells ?? [];
  return KEY.more.flatMap((sheet) => (sheet.cells[stage.name] ?? []).flatMap(([row, column]) => {
    sheet.matrices ??= workOtherSheet(sheet);
    const cell = described.find((each) => each.row === row && each.column === column);
    if (!cell) return [];
    const [i, j] = turnPlace(row, column);
    const parts = listParts(stage, sheet.matrices, i, j);
    const values = cell.pairs ? parts.map((part) => (KEY.is_rows ? [...part].reverse() : part)) : parts.flat();
    /* what a mask hides reads nothing, and is a score all the same */
    const lines = writeSources(cell, stage.form === "mask" ? [sheet.matrices[stage.formula.reads[0]][i][j]] : values);
    return lines ? [{ cell, i, j, lines, matrices: sheet.matrices, right: sheet.matrices[stage.name][i][j] }] : [];
  }));
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
