// The field of a prediction: a box to type in or buttons to choose from, and Record. What is there when Record is
// pressed goes to the kernel in one message: a value that is synced by itself may come after the press.
function render({ model, el }) {
  const options = model.get("options");
  const id = `echomq-predict-${Math.random().toString(36).slice(2)}`;
  const make = (tag, className, text = "") => {
    const node = document.createElement(tag);
    node.className = className;
    node.textContent = text;
    return node;
  };
  el.classList.add("echomq-predict");
  el.tabIndex = -1;
  el.setAttribute("role", "group");
  el.setAttribute("aria-labelledby", id);

  const question = make("div", "echomq-question", model.get("question"));
  question.id = id;
  const row = make("div", "echomq-row");
  const hint = make("div", "echomq-hint", model.get("hint"));
  hint.id = `${id}-hint`;
  const record = make("button", "jupyter-widgets jupyter-button", "Record");
  record.type = "button";

  let said = () => "";
  let show = () => {};
  if (options.length > 0) {
    let chosen = model.get("said");
    const buttons = options.map((option) => {
      const button = make("button", "jupyter-widgets jupyter-button widget-toggle-button", option);
      button.type = "button";
      button.addEventListener("click", () => {
        chosen = option;
        mark();
      });
      row.append(button);
      return button;
    });
    const mark = () =>
      buttons.forEach((button, number) => {
        button.classList.toggle("mod-active", options[number] === chosen);
        button.setAttribute("aria-pressed", String(options[number] === chosen));
        button.disabled = model.get("closed");
      });
    said = () => chosen;
    show = mark;
  } else {
    const label = make("label", "", model.get("label"));
    const input = make("input", "");
    input.type = "text";
    input.autocomplete = "off";
    input.spellcheck = false;
    input.id = `${id}-input`;
    label.htmlFor = input.id;
    input.value = model.get("said");
    input.setAttribute("aria-describedby", `${id} ${hint.id}`);
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) send();
    });
    row.append(label, input);
    said = () => input.value;
    show = () => {
      input.disabled = model.get("closed");
      input.setAttribute("aria-invalid", String(model.get("wrong")));
    };
  }
  row.append(record);
  el.append(question, row, hint);

  const send = () => model.send({ record: said() });
  const draw = () => {
    const inside = el.contains(el.getRootNode().activeElement);
    record.disabled = model.get("closed");
    show();
    // A disabled box drops the focus; it stays with the question rather than nowhere.
    if (inside && model.get("closed")) el.focus();
  };
  record.addEventListener("click", send);
  model.on("change:closed", draw);
  model.on("change:wrong", draw);
  draw();
  return () => {
    model.off("change:closed", draw);
    model.off("change:wrong", draw);
  };
}
export default { render };
