// The voice of an app: one status node for its whole life, names for the parts that ipywidgets leaves nameless,
// and the beat of Play. Nothing is drawn here.
function render({ model, el }) {
  const status = document.createElement("div");
  status.className = "echomq-status";
  status.setAttribute("role", "status");
  el.append(status);

  const say = () => {
    status.textContent = model.get("text");
  };
  const name = () => {
    const app = el.closest(".echomq-app");
    if (!app) return;
    // The notebook would take the arrow keys for itself; it asks the focused node alone.
    for (const node of app.querySelectorAll("button, input, select, [tabindex], [contenteditable]"))
      node.setAttribute("data-lm-suppress-shortcuts", "true");
    for (const [selector, attributes] of Object.entries(model.get("attributes")))
      for (const node of app.querySelectorAll(selector))
        for (const [key, value] of Object.entries(attributes))
          if (node.getAttribute(key) !== value) node.setAttribute(key, value);
  };

  // Escape leaves the app for its cell, as it leaves an editor: shortcuts do not reach what has the focus in here.
  const leave = (event) => {
    const cell = event.key === "Escape" && !event.defaultPrevented && el.closest(".jp-Cell");
    if (cell) (cell.hasAttribute("tabindex") ? cell : cell.closest(".jp-Notebook")).focus();
  };

  let timer = null;
  const play = () => {
    clearInterval(timer);
    timer = model.get("playing")
      ? setInterval(() => {
          model.set("beat", model.get("beat") + 1);
          model.save_changes();
        }, model.get("beat_ms"))
      : null;
  };

  model.on("change:text", say);
  model.on("change:attributes", name);
  model.on("change:playing", play);
  say();
  play();
  // The other views of the app come after this one, and a view may be drawn again.
  const watch = new MutationObserver(name);
  const begin = requestAnimationFrame(() => {
    name();
    const app = el.closest(".echomq-app");
    if (!app) return;
    watch.observe(app, { childList: true, subtree: true });
    app.addEventListener("keydown", leave);
  });
  return () => {
    cancelAnimationFrame(begin);
    watch.disconnect();
    clearInterval(timer);
  };
}
export default { render };
