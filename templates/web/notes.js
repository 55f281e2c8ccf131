/* Lines to write on that nobody marks, such as the one for a guess: a field on each, kept and handed in as it is. */

const notes = [];

function addNote(parent, label) {
  const note = { id: `note${notes.length + 1}`, label, text: "" };
  note.field = make("input", {
    type: "text",
    name: note.id,
    class: "note",
    "aria-label": label,
    maxlength: "200",
    autocomplete: "off",
    oninput: () => writeNote(note, note.field.value),
    /* ? asks for a hint in cells alone */
    onkeydown: (event) => event.key === "?" && event.stopPropagation(),
  });
  parent.append(note.field);
  notes.push(note);
}

function writeNote(note, text) {
  note.text = text;
  if (note.field.value !== text) note.field.value = text;
  remember();
}

/* A line of underscores in a text stays, and the field lies over it. */
function addNotesToText(paragraph) {
  const texts = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (texts.nextNode()) nodes.push(texts.currentNode);
  for (const node of nodes) {
    const found = node.data.match(/_{8,}/);
    if (!found) continue;
    const line = node.splitText(found.index);
    const place = make("span", { class: "over" });
    line.splitText(found[0].length);
    line.replaceWith(place);
    place.append(line);
    addNote(place, paragraph.textContent.split(/_{8,}/)[0].trim());
  }
}

for (const place of document.querySelectorAll(".page .text p, .rule[data-note]")) {
  if (place.matches(".rule")) addNote(place, place.dataset.label);
  else if (place.textContent.includes("________")) addNotesToText(place);
}
