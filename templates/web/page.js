/* The data of the page, and small helpers that every part uses. */

const SHEET = JSON.parse(document.getElementById("attnhand-sheet").textContent);

/* Return a sentence of the page's language with its names filled in. */
const say = (key, names = {}) => SHEET.words[key].replace(/\{(\w+)\}/g, (_, name) => names[name]);

/* Make an element with its properties, its attributes and what is in it. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const button = (label, onclick, attributes = {}) => make("button", { type: "button", onclick, ...attributes }, label);

/* Functions that are called when an answer has changed. */
const listeners = [];
const whenChanged = (listener) => listeners.push(listener);

/* A line that is shown and read aloud. */
const message = make("p", { id: "message", role: "status", "aria-live": "polite" });
const announce = (text) => {
  message.replaceChildren(...setMath(text));
};

/* It lies over the page, so that nothing moves when it comes; a click on it, Escape or the next answer takes it away. */
whenChanged(() => announce(""));
message.addEventListener("pointerdown", () => announce(""));
document.addEventListener("keydown", (event) => event.key === "Escape" && announce(""));

/* Show a dialog that closes by its button, by Escape, and by a click beside it. */
function showDialog(title, ...content) {
  const heading = make("h2", { id: "dialog-title" }, ...setMath(title));
  const dialog = make("dialog", { "aria-labelledby": "dialog-title" }, heading, ...content);
  dialog.append(button(say("close"), () => dialog.close()));
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
