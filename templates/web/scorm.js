/* A learning platform, by SCORM 1.2: it keeps the answers, and is told the score whenever the page has checked. */

/* What a platform keeps of a page, in characters. */
const MAX_DATA_LENGTH = 4096;

const COMMIT_EVERY = 10000;

/* Return what the platform lends its pages: in a frame around this one, or around what opened its window. */
function findPlatform() {
  for (const findStart of [() => window, () => window.opener, () => window.top.opener]) {
    try {
      for (let at = findStart(); at; at = at === at.parent ? null : at.parent) if (at.API) return at.API;
    } catch {
      /* a frame of another site lends nothing */
    }
  }
  return null;
}

const platform = findPlatform();

/* Call the platform, and say whether it did what was asked. */
function callPlatform(name, ...values) {
  try {
    return String(platform[name](...values)) === "true";
  } catch {
    return false;
  }
}
const setOnPlatform = (element, value) => callPlatform("LMSSetValue", element, `${value}`);

/* Signs that are often typed take one character; others that are not plain, or that part answers, stand as their code. */
const SHORT_SIGNS = { "−": "~", "∞": "^" };
const LONG_SIGNS = { "~": "−", "^": "∞" };
const packText = (text) =>
  text.replace(/[^ -~]|[%|~^<>&"'\\]/gu, (sign) => SHORT_SIGNS[sign] ?? `%${sign.codePointAt(0).toString(16)};`);
const unpackText = (text) =>
  text.replace(/[~^]|%([0-9a-f]+);/g, (sign, code) => LONG_SIGNS[sign] ?? String.fromCodePoint(parseInt(code, 16)));

/* Answers are known by their places, which are those of this sheet alone: its digest stands first. */
const PLACES = [...cells, ...questions, ...notes, { id: NAME }].map(({ id }) => id);
const OWN_MARK = SHEET.digest.slice(0, 8);
const packAnswers = (texts) => [OWN_MARK, ...PLACES.map((id) => packText(texts[id] ?? ""))].join("|").replace(/\|+$/, "");

function unpackAnswers(packed) {
  const [ownMark, ...texts] = packed.split("|");
  return ownMark === OWN_MARK ? Object.fromEntries(texts.map((text, at) => [PLACES[at], unpackText(text)]).filter(([, text]) => text)) : {};
}

let commitTimer = 0;

function commit() {
  clearTimeout(commitTimer);
  commitTimer = 0;
  return callPlatform("LMSCommit", "");
}

/* What is said of answers that are not stored; nothing where they are. */
let storingFault = "";

/* This browser's own memory is left alone: others may sit at this computer. */
const platformMemory = {
  read: () => unpackAnswers(`${platform.LMSGetValue("cmi.suspend_data")}`),
  write(texts) {
    const packed = packAnswers(texts);
    const isTooLong = packed.length > MAX_DATA_LENGTH;
    if (!isTooLong && setOnPlatform("cmi.suspend_data", packed)) {
      commitTimer ||= setTimeout(commit, COMMIT_EVERY);
      storingFault = "";
      return true;
    }
    storingFault = say(isTooLong ? "scorm.too_long" : "scorm.not_kept");
    if (isTooLong || isRemembered) announce(storingFault);
    return false;
  },
};

const addToMessage = (text) => message.append(...(message.textContent ? [" "] : []), ...setMath(text));

/* The score is what `attnhand check` counts as right, in percent of all cells, whatever part was chosen to be checked. */
function reportScore() {
  const marks = listMarks(markAll());
  const points = marks.filter(isCounted).length;
  const score = Math.round((10000 * points) / marks.length) / 100;
  const values = {
    "cmi.core.score.raw": score,
    "cmi.core.score.min": 0,
    "cmi.core.score.max": 100,
    "cmi.core.lesson_status": cells.every(isFilled) ? "completed" : "incomplete",
  };
  const isReported = Object.entries(values).map(([element, value]) => setOnPlatform(element, value)).every(Boolean);
  const key = isReported && commit() ? "scorm.sent" : "scorm.not_sent";
  addToMessage(say(key, { score: `${score}`.replace(".", SHEET.decimal_mark) }));
  if (storingFault) addToMessage(storingFault);
}

function finish() {
  const seconds = performance.now() / 1000;
  const [hours, minutes] = [seconds / 3600, (seconds / 60) % 60].map((time) => `${Math.floor(time)}`.padStart(2, "0"));
  setOnPlatform("cmi.core.session_time", `${hours}:${minutes}:${(seconds % 60).toFixed(2).padStart(5, "0")}`);
  callPlatform("LMSFinish", "");
}

if (platform && callPlatform("LMSInitialize", "")) {
  memory = platformMemory;
  setOnPlatform("cmi.core.exit", "suspend"); // or the next visit begins anew, wherever this one is broken off
  const status = `${platform.LMSGetValue("cmi.core.lesson_status")}`;
  if (["not attempted", "unknown", ""].includes(status)) setOnPlatform("cmi.core.lesson_status", "incomplete");
  document.addEventListener("checked", reportScore);
  document.addEventListener("visibilitychange", () => document.hidden && commitTimer && commit());
  addEventListener("pagehide", finish);
  /* a page that comes back as it was left cannot call a platform that it has finished with */
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
} else {
  queueMicrotask(() => addToMessage(say("scorm.alone")));
}
