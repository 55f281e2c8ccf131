/* Every slip of the catalogue, by its name there: what a student gets who works a stage so, with tokens as columns.
   Nothing where it cannot happen. */

function makeSlipContext(stage, matrices) {
  const inHead = KEY.stages.filter((each) => each.head === stage.head);
  const find = (type, role) => inHead.find(({ operation }) => operation.type === type && (!role || operation.role === role));
  const findInput = (type, index = 0, role = null) => matrices[find(type, role)?.inputs[index]];
  const findProjection = (name) => KEY.stages.find((each) => each.name === name && each.operation.role === "projection");
  return {
    stage,
    matrices,
    operation: stage.operation,
    inputs: unify(stage.inputs.map((name) => matrices[name])),
    find,
    findInput,
    findProjection,
    findTokens: (name) => matrices[findProjection(name)?.inputs.at(-1)],
    keys: findInput("Product", 0, "scores"),
    queries: findInput("Product", 1, "scores"),
    values: findInput("Product", 0, "mixture"),
    redo: (...inputs) => apply(stage, inputs),
  };
}

const shape = (a) => `${a.length} ${a[0].length}`;
const isAsymmetric = (a) => a.length === a[0].length && !isSameMatrix(a, transpose(a));
const multiplyIfFit = (left, right) =>
  left && right && left[0].length === right.length ? multiplyMatrices(...unify([left, right])) : null;
const compareAll = (keys, queries) => multiplyIfFit(keys && transpose(keys), queries);
const multiplyByWeights = ({ matrices, inputs }, stage) => stage && multiplyIfFit(matrices[stage.inputs[0]], inputs.at(-1));
const eachCell = (work) => ({ inputs }) => mapCells(work, inputs[0]);
const divideColumns = (a, divisors) => transpose(unify([a])[0]).length === divisors.length
  ? unify([a])[0].map((row) => row.map((value, j) => divide(value, divisors[j])))
  : null;
const sumColumns = (a) => transpose(a).map(addAll);
const findLargest = (values) => values.reduce((a, b) => (compare(a, b) < 0 ? b : a));

/* 1 for the largest of each column, which several share, and 0 for the others. */
const markLargest = (a) => transpose(transpose(a).map((column) => {
  const largest = findLargest(column);
  const count = column.filter((value) => isEqual(value, largest)).length;
  return column.map((value) => (isEqual(value, largest) ? divide(ONE, toNumber(count)) : ZERO));
}));

const exchangeWeights = (queries, keys, values) => (at) => {
  const [scores, outputs] = [at.find("Product", "scores"), at.find("Product", "mixture")];
  if (!scores || !outputs) return null;
  const name = { Q: scores.inputs[1], K: scores.inputs[0], V: outputs.inputs[0] };
  const taken = { [name.Q]: queries, [name.K]: keys, [name.V]: values }[at.stage.name];
  return taken ? multiplyByWeights(at, at.findProjection(name[taken])) : null;
};

function takeNextHead(at) {
  const alike = KEY.stages.filter((each) => each.topic === at.stage.topic);
  return multiplyByWeights(at, alike[(alike.indexOf(at.stage) + 1) % alike.length]);
}

function multiplyElementwise({ inputs: [left, ...others] }) {
  const right = others.at(-1);
  return others.length === 1 && shape(left) === shape(right)
    ? left.map((row, i) => row.map((value, j) => multiply(value, right[i][j])))
    : null;
}

const dropBias = ({ inputs }) => (inputs.length === 3 ? multiplyIfFit(inputs[0], inputs[2]) : null);

function addBiasAcross(at) {
  const multiplied = dropBias(at);
  if (!multiplied || multiplied.length !== multiplied[0].length) return null;
  return multiplied.map((row) => row.map((value, j) => add(value, at.inputs[1][j][0])));
}

/* Go wrong in rounding what is divided and rounded down. */
const roundBy = (round) => ({ inputs }) =>
  isRoundedDown() ? mapCells((score) => round(divide(score, toNumber(KEY.rules.divisor))), inputs[0]) : null;

function divideBySize({ inputs }) {
  const { scale, d_k: size } = KEY.rules;
  if (size === 1 || scale === "none") return null;
  const quotients = mapCells((score) => divide(score, toNumber(size)), inputs[0]);
  return isRoundedDown() ? mapCells(floor, quotients) : quotients;
}

const hideBy = (hides, instead = MINUS_INFINITY) => ({ operation, inputs }) =>
  inputs[0].map((row, key) => row.map((value, query) => (hides(operation, key, query) ? instead : value)));
const changeWindow = (change) => ({ operation: { window: size }, inputs }) =>
  size === null ? null : OPERATIONS.Mask({ window: change(size) }, inputs);

/* Write something else for a power; nothing is for the power itself. */
const raiseBy = (work) => ({ inputs }) => mapCells((score) => {
  if (!isFiniteNumber(score)) return ZERO;
  const exponent = KEY.rules.base === "e" && score.bottom > 1n ? toDecimal(score) : score;
  return work(exponent) ?? raiseBase(exponent);
}, inputs[0]);
const raiseNegativeBy = (work) => (at) => at.inputs[0].flat().some((score) => isFiniteNumber(score) && isNegative(score))
  ? raiseBy((score) => (isNegative(score) ? work(score) : null))(at)
  : null;
const findBase = () => (KEY.rules.base === "e" ? raiseE(ONE) : toNumber(KEY.rules.base));
const timesBase = (score) => multiply(findBase(), score);

function raiseUnscaled(at) {
  const scores = at.findInput("ScaleScores");
  if (!scores || isTooLarge(scores)) return null;
  return scores.map((row, i) => row.map((score, j) => (isFiniteNumber(at.inputs[0][i][j]) ? raiseBase(score) : ZERO)));
}

function skipExponential(at) {
  const exponents = at.findInput("Power");
  if (!exponents) return null;
  const scores = unify([mapCells((score) => (isFiniteNumber(score) ? score : ZERO), exponents)])[0];
  return divideColumns(scores, sumColumns(scores));
}

function roundEarly({ inputs }) {
  const powers = mapCells((power) => roundToPlaces(power, SHEET.places), inputs[0]);
  return divideColumns(powers, sumColumns(powers));
}

function maskAfterwards(at) {
  const [mask, scores] = [at.find("Mask"), at.findInput("Mask")];
  if (!mask || !scores) return null;
  const powers = unify([mapCells((score) => raiseBase(score), scores)])[0];
  const weights = divideColumns(powers, sumColumns(powers));
  return weights.map((row, i) => row.map((value, j) => (isHidden(mask.operation, i, j) ? ZERO : value)));
}

const divideBy = (choose) => ({ inputs: [powers, sums] }) => divideColumns(powers, choose(powers, sums));
const forEachQuery = (value, powers) => powers[0].map(() => value);

const SLIPS = {
  "next-word": ({ operation, inputs: [table] }) =>
    table.map((row) => operation.word_indices.map((word) => row[(word + 1) % row.length])),
  "position-forgotten": ({ inputs }) => inputs[0],
  "multiplied-not-added": multiplyElementwise,
  "other-weights": exchangeWeights("K", "Q", "K"),
  "third-weights": exchangeWeights("V", "V", "Q"),
  "weights-of-other-head": takeNextHead,
  "weights-transposed": ({ inputs: [weights, ...others], redo }) =>
    (isAsymmetric(weights) ? redo(transpose(weights), ...others) : null),
  "signs-ignored": ({ inputs, redo }) => redo(...inputs.map((a) => mapCells(dropSign, a))),
  "last-product-forgotten": ({ inputs, redo }) => (inputs.at(-1).length === 1 ? null
    : redo(inputs[0].map((row) => row.slice(0, -1)), ...inputs.slice(1, -1), inputs.at(-1).slice(0, -1))),
  "operands-swapped": ({ inputs }) => (inputs.length === 2 ? multiplyIfFit(inputs[1], inputs[0]) : null),
  elementwise: multiplyElementwise,
  "negative-result-zero": ({ inputs, redo }) => {
    const right = redo(...inputs);
    return right.flat().some(isNegative) ? mapCells((value) => (isNegative(value) ? ZERO : value), right) : null;
  },
  "bias-forgotten": dropBias,
  "bias-other-axis": addBiasAcross,
  "scores-transposed": ({ inputs, redo }) => (isAsymmetric(redo(...inputs)) ? transpose(redo(...inputs)) : null),
  "other-operand-transposed": ({ keys, queries }) => multiplyIfFit(keys, queries && transpose(queries)),
  "not-transposed": ({ keys, queries }) => multiplyIfFit(keys, queries),
  "values-for-queries": ({ keys, values }) => compareAll(keys, values),
  "values-for-keys": ({ queries, values }) => compareAll(values, queries),
  "queries-with-themselves": ({ queries }) => compareAll(queries, queries),
  "keys-with-themselves": ({ keys }) => compareAll(keys, keys),
  "projections-skipped": ({ stage, findTokens }) => compareAll(findTokens(stage.inputs[0]), findTokens(stage.inputs[1])),
  "not-scaled": ({ inputs }) => (KEY.rules.scale === "none" ? null : inputs[0]),
  truncated: roundBy(truncate),
  "rounded-up": roundBy(ceil),
  "half-kept": roundBy((quotient) => quotient),
  "bankers-rounding": roundBy(roundToEven),
  "over-d_k": divideBySize,
  doubled: ({ inputs }) => (KEY.rules.divisor === 2 ? mapCells((score) => multiply(score, toNumber(2)), inputs[0]) : null),
  "sign-dropped": eachCell((score) => scaleScore(dropSign(score))),
  "zero-for-minus-infinity": hideBy(isHidden, ZERO),
  "other-triangle": hideBy((mask, key, query) => isHidden(mask, query, key)),
  "diagonal-too": hideBy((mask, key, query) => isHidden(mask, key, query) || key === query),
  "mask-forgotten": ({ inputs }) => inputs[0],
  "window-forgotten": changeWindow(() => null),
  "window-too-wide": changeWindow((size) => size + 1),
  "times-not-power": raiseBy(timesBase),
  "negative-power-negated": raiseNegativeBy((score) => negate(raiseBase(negate(score)))),
  "negative-power-zero": raiseNegativeBy(() => ZERO),
  "negative-power-times": raiseNegativeBy(timesBase),
  "negative-power-over-product": raiseNegativeBy((score) => divide(ONE, timesBase(negate(score)))),
  cubed: (at) => (KEY.rules.base === "e" ? null
    : raiseBy((score) => Array(KEY.rules.base).fill(score).reduce(multiply))(at)),
  "zero-power-zero": raiseBy((score) => (score.top ? null : ZERO)),
  "zero-power-base": raiseBy((score) => (score.top ? null : findBase())),
  "power-of-magnitude": raiseBy((score) => raiseBase(dropSign(score))),
  "unscaled-exponent": raiseUnscaled,
  "base-two": raiseBy((score) => raiseBase(score, 2)),
  "base-e": raiseBy((score) => raiseBase(score, "e")),
  "sums-other-axis": ({ inputs }) => [inputs[0].map(addAll)],
  "grand-total-sums": ({ inputs }) => [forEachQuery(addAll(inputs[0].flat()), inputs[0])],
  "other-axis": ({ inputs: [powers] }) => transpose(divideColumns(transpose(powers), powers.map(addAll))),
  "crossed-sums": divideBy((powers) => powers.map(addAll)),
  "grand-total": divideBy((powers) => forEachQuery(addAll(powers.flat()), powers)),
  "one-sum-for-all": divideBy((powers, sums) => forEachQuery(sums[0][0], powers)),
  "over-largest": divideBy((powers) => transpose(powers).map(findLargest)),
  "over-count": divideBy((powers) => forEachQuery(toNumber(powers.length), powers)),
  "not-divided": ({ inputs }) => inputs[0],
  "no-exponential": skipExponential,
  "one-hot": ({ inputs }) => markLargest(inputs[0]),
  "rounded-early": roundEarly,
  "masked-after": maskAfterwards,
  "weights-A-transposed": ({ inputs: [values, weights], redo }) =>
    (isAsymmetric(weights) ? redo(values, transpose(weights)) : null),
  "powers-for-weights": ({ inputs, findInput }) => multiplyIfFit(inputs[0], findInput("Divide")),
  "scores-for-weights": ({ inputs, find, matrices }) => multiplyIfFit(inputs[0], matrices[find("Product", "scores")?.name]),
  "keys-for-values": ({ keys, inputs }) => multiplyIfFit(keys, inputs[1]),
  "queries-for-values": ({ queries, inputs }) => multiplyIfFit(queries, inputs[1]),
  "inputs-for-values": ({ stage, inputs, findTokens }) => multiplyIfFit(findTokens(stage.inputs[0]), inputs[1]),
  "top-token-copied": ({ inputs }) => multiplyIfFit(inputs[0], markLargest(inputs[1])),
  "heads-exchanged": ({ inputs, redo }) => redo(...inputs.toReversed()),
  "heads-interleaved": ({ inputs }) => transpose(inputs).flat(),
  "heads-added": ({ inputs }) => inputs[0].map((row, i) => row.map((_, j) => addAll(inputs.map((a) => a[i][j])))),
  "relu-forgotten": ({ inputs }) => inputs[0],
  "relu-of-magnitude": eachCell(dropSign),
  "relu-other-side": eachCell((value) => (compare(value, ZERO) > 0 ? ZERO : value)),
};
