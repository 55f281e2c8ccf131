/* The questions after the cells: a field, or a list of choices, in the box of each. */

const questions = (SHEET.sheet.questions ?? []).filter(({ name }) => name).map(({ name: id, text: asked, choices }) => {
  const td = document.getElementById(id);
  return { id, asked, choices, td, name: readName(td), text: "" };
});

for (const question of questions) {
  const attributes = {
    name: question.id,
    class: "question",
    "aria-label": question.asked,
    oninput: () => {
      writeQuestion(question, question.field.value);
      remember();
    },
    onkeydown: (event) => moveFromQuestion(question, event),
  };
  question.field = question.choices
    ? make("select", attributes, ...["", ...question.choices].map((choice) => make("option", { value: choice }, choice)))
    : make("input", { ...attributes, type: "text", maxlength: "80", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  question.td.append(question.field);
}

/* Put an answer into the box of a question. */
function writeQuestion(question, text) {
  question.text = text;
  if (question.field.value !== text) question.field.value = text;
  nameCell(question);
  document.dispatchEvent(new CustomEvent("answered", { detail: question }));
}

/* Enter leads on, and with Shift back. Keys that the cells know, such as ? for a hint, are text here. */
function moveFromQuestion(question, event) {
  event.stopPropagation();
  if (event.key !== "Enter" || event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
  const fields = [...cells, ...questions];
  const next = fields[fields.indexOf(question) + (event.shiftKey ? -1 : 1)];
  event.preventDefault();
  if (next) focusField(next);
  else document.dispatchEvent(new Event("ended"));
}
