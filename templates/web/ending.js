/* The end of a sheet where everything is right. */

/* Show what the sheet comes to: the student's own shares as arrows from each query to the keys it looks at. */
function showEnding() {
  const { written } = markAll();
  const { heads } = SHEET.ending;
  const pictures = heads.flatMap(({ stage, title, queries, keys }) => [
    ...(heads.length > 1 ? [make("h3", {}, title)] : []),
    drawAttention(written[stage], title, queries, keys),
  ]);
  showDialog(say("check.ending"), ...pictures, ...SHEET.ending.sentences.map((text) => make("p", {}, ...setMath(text))));
}

const LINE_HEIGHT = 34;
const WIDTH = 300;

function drawAttention(shares, title, queries, keys) {
  const draw = (tag, attributes, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const middle = (at) => LINE_HEIGHT * (at + 0.5);
  const toShare = ({ top, bottom }) => Number((top * 1000n) / bottom) / 1000;
  const write = (label, at, x, anchor) =>
    draw("text", { x, y: middle(at), "text-anchor": anchor, "dominant-baseline": "central" }, label);
  const arrow = (query, key, share) => {
    const [x1, y1, x2, y2] = [100, middle(query), 192, middle(key)];
    const angle = Math.atan2(y2 - y1, x2 - x1);
    const corner = (turn) => `${x2 - 9 * Math.cos(angle + turn)},${y2 - 9 * Math.sin(angle + turn)}`;
    return draw("g", { opacity: 0.35 + 0.65 * share },
      draw("line", { x1, y1, x2, y2, "stroke-width": 8 * share }),
      draw("path", { d: `M${corner(0.4)} L${x2},${y2} L${corner(-0.4)}` }));
  };
  const arrows = queries.flatMap(([query]) => keys.flatMap((_, key) => {
    const share = toShare(shares[key][query]);
    return share ? [arrow(query, key, share)] : [];
  }));
  const height = LINE_HEIGHT * Math.max(shares.length, shares[0].length);
  return draw("svg", { class: "attention", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": title },
    ...arrows,
    ...queries.map(([query, label]) => write(label, query, 94, "end")),
    ...keys.map((label, key) => write(label, key, 200, "start")));
}

/* Not before the questions are answered too: it names what they ask. */
document.addEventListener("checked", () => [...cells, ...questions].every(({ mark }) => mark === "right") && showEnding());
document.addEventListener("ended", () => cells.every(isFilled) && checkAll());
