/* Sentences that are set as the page sets its own. */

const SMALL_SIGNS = { sub: ["0123456789ij", "₀₁₂₃₄₅₆₇₈₉ᵢⱼ"], sup: ["0123456789−()Tx", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁽⁾ᵀˣ"] };
const MATH = /([₀-₉ᵢⱼ]+|_[A-Za-z](?![\p{L}\p{N}_]))|([⁰¹²³⁴-⁹⁻⁽⁾ᵀˣ]+|\^[a-z]+)|[\p{Lu}\p{Ll}\p{Lo}\p{Nd}]+(?:['’]\p{L}*)?/gu;

/* Return what a sentence is made of: variables in italics, indices lower, exponents raised. An article is no variable; a is one
   in brackets alone, and A before another matrix. */
function setMath(text) {
  const pieces = [];
  let at = 0;
  for (const { 0: found, 1: lower, 2: upper, index } of text.matchAll(MATH)) {
    const [before, after] = [text.slice(0, index), text.slice(index + found.length)];
    const isInPair = (/[(−]$/.test(before) && /^,/.test(after)) || /^(?:\)| (?:cos|sin|sen)(?![\p{L}\p{N}_]))/u.test(after);
    const goesOn = /^ \p{L}/u.test(after) && !/^ [A-Z](?![\p{L}\p{N}_])/u.test(after);
    const isArticle = (found === "a" && !isInPair) || (goesOn && (found === "I" || (found === "A" && !/[\p{L}\p{N},;] $/u.test(before))));
    const isVariable = /^[A-Za-z]$/.test(found) && !isArticle && !/['’]$/.test(before) && !/^(?:\. [A-Z]|\u00a0)/.test(after);
    if (!lower && !upper && !isVariable) continue;
    const tag = lower ? "sub" : "sup";
    const signs = isVariable ? found : [...found.replace(/^[_^]/, "")].map((sign) => SMALL_SIGNS[tag][0][SMALL_SIGNS[tag][1].indexOf(sign)] ?? sign).join("");
    const variable = isVariable || /^[a-z]$/.test(signs) ? make("i", {}, signs) : signs;
    pieces.push(text.slice(at, index), isVariable ? variable : make(tag, {}, variable));
    at = index + found.length;
  }
  return [...pieces, text.slice(at)].filter((piece) => piece !== "");
}
