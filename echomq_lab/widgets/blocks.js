// Two lists of blocks: in the script, and left over. The kernel keeps the order; here a key, a button or a drag asks it
// to move a block, and the focus goes where the block went.
const NAMES = { script: "In the script", left: "Left over" };
const BUTTONS = { script: { up: "Move up", down: "Move down", out: "Take out" }, left: { in: "Put in" } };
const HINT =
  "Up and Down choose a block, Enter puts it in or takes it out, Alt+Up and Alt+Down move it; or use the buttons, or drag it.";
// A press that moves less than this, in pixels, is a click.
const STILL = 5;

function render({ model, el }) {
  const id = `echomq-blocks-${Math.random().toString(36).slice(2)}`;
  const code = model.get("code");
  const lists = {};
  const empty = {};
  const buttons = {};
  const items = {};
  const chosen = { script: null, left: null };
  let asked = null;
  let drag = null;

  const make = (tag, className, text = "", attributes = {}) => {
    const node = document.createElement(tag);
    node.className = className;
    node.textContent = text;
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return node;
  };
  const letters = (name) => {
    const order = model.get("order");
    return name === "script" ? order : Object.keys(code).filter((letter) => !order.includes(letter));
  };
  const place = (letter) => (model.get("order").includes(letter) ? "script" : "left");
  const ask = (letter, to) => {
    asked = letter;
    model.send({ block: letter, to });
  };

  const choose = (letter) => {
    const name = place(letter);
    chosen[name] = letter;
    mark(name);
  };
  const mark = (name) => {
    for (const letter of letters(name)) {
      items[letter].tabIndex = letter === chosen[name] ? 0 : -1;
      items[letter].setAttribute("aria-selected", String(letter === chosen[name]));
    }
    empty[name].hidden = chosen[name] !== null;
    for (const [to, button] of Object.entries(buttons[name])) {
      const words = BUTTONS[name][to];
      button.disabled = chosen[name] === null;
      button.setAttribute("aria-label", chosen[name] === null ? words : `${words}: ${chosen[name]}`);
    }
  };
  const draw = () => {
    const active = el.getRootNode().activeElement;
    for (const name of Object.keys(NAMES)) {
      const now = letters(name);
      const before = [...lists[name].children].findIndex((item) => item.dataset.letter === chosen[name]);
      if (now.includes(asked)) chosen[name] = asked;
      else if (!now.includes(chosen[name])) chosen[name] = now[Math.min(Math.max(before, 0), now.length - 1)] ?? null;
      lists[name].replaceChildren(...now.map((letter) => items[letter]));
      mark(name);
    }
    // A node that is put elsewhere loses the focus, and so does a button with nothing left to do.
    if (Object.values(items).includes(active)) active.focus();
    else if (asked !== null && active?.disabled && el.contains(active)) items[asked].focus();
  };

  const onKey = (event, letter) => {
    const now = letters(place(letter));
    const at = now.indexOf(letter);
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const to = { Home: 0, End: now.length - 1 }[event.key] ?? Math.min(Math.max(at + step, 0), now.length - 1);
    if (event.altKey && step) ask(letter, step < 0 ? "up" : "down");
    else if (event.key === "Enter" || event.key === " ") ask(letter, place(letter) === "script" ? "out" : "in");
    else if (!event.altKey && !Number.isNaN(to)) items[now[to]].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  // Where a block would come down: a place in the script, "out" of it, or null.
  const spot = (event) => {
    const inside = (node) => {
      const box = node.getBoundingClientRect();
      return box.left <= event.clientX && event.clientX <= box.right && box.top <= event.clientY && event.clientY <= box.bottom;
    };
    if (inside(lists.left.parentElement)) return "out";
    if (!inside(lists.script.parentElement)) return null;
    const middle = (item) => (item.getBoundingClientRect().top + item.getBoundingClientRect().bottom) / 2;
    return letters("script").filter((each) => each !== drag.letter && middle(items[each]) < event.clientY).length;
  };
  const point = (to) => {
    const others = letters("script").filter((each) => each !== drag?.letter);
    others.forEach((each, number) => items[each].classList.toggle("echomq-before", number === to));
    lists.script.classList.toggle("echomq-end", to === others.length);
    lists.left.classList.toggle("echomq-end", to === "out" && place(drag.letter) === "script");
  };
  const drop = (keep) => {
    if (drag === null) return;
    const { letter, to, moving } = drag;
    point(null);
    items[letter].style.transform = "";
    items[letter].classList.remove("echomq-dragged");
    drag = null;
    if (keep && moving && to !== null && !(to === "out" && place(letter) === "left")) ask(letter, to);
  };

  for (const [letter, text] of Object.entries(code)) {
    const item = make("li", "echomq-block", "", { role: "option", "data-letter": letter });
    item.append(make("b", "", letter), " ", make("code", "", text));
    item.addEventListener("focus", () => choose(letter));
    item.addEventListener("keydown", (event) => {
      if (event.key === "Escape") drop(false);
      else onKey(event, letter);
    });
    item.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      drag = { letter, x: event.clientX, y: event.clientY, to: null, moving: false };
      item.setPointerCapture(event.pointerId);
    });
    item.addEventListener("pointermove", (event) => {
      if (drag === null) return;
      const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
      drag.moving ||= Math.hypot(x, y) >= STILL;
      if (!drag.moving) return;
      item.classList.add("echomq-dragged");
      item.style.transform = `translate(${x}px,${y}px)`;
      drag.to = spot(event);
      point(drag.to);
    });
    item.addEventListener("pointerup", () => drop(true));
    item.addEventListener("lostpointercapture", () => drop(false));
    items[letter] = item;
  }

  el.classList.add("echomq-blocks");
  const hint = make("div", "echomq-hint", HINT, { id: `${id}-hint` });
  const both = make("div", "echomq-lists");
  for (const [name, words] of Object.entries(NAMES)) {
    const part = make("div", "echomq-part");
    lists[name] = make("ol", "", "", { role: "listbox", "aria-label": words, "aria-describedby": hint.id });
    empty[name] = make("div", "echomq-empty", "(no block)");
    const row = make("div", "echomq-row");
    buttons[name] = {};
    for (const [to, label] of Object.entries(BUTTONS[name])) {
      const button = make("button", "jupyter-widgets jupyter-button", label, { type: "button" });
      button.addEventListener("click", () => ask(chosen[name], to));
      buttons[name][to] = button;
      row.append(button);
    }
    part.append(make("div", "echomq-title", words), lists[name], empty[name], row);
    both.append(part);
  }

  const paste = make("div", "echomq-row");
  const label = make("label", "", "Line to paste", { for: `${id}-line` });
  const line = make("input", "", "", { id: `${id}-line`, type: "text", readonly: "" });
  const copy = make("button", "jupyter-widgets jupyter-button", "Copy", { type: "button" });
  line.addEventListener("focus", () => line.select());
  copy.addEventListener("click", () => {
    line.select();
    // And not navigator.clipboard, which a page that came over plain http does not have.
    model.send({ copied: document.execCommand("copy") });
  });
  paste.append(label, line, copy);
  el.append(hint, both, paste);

  const tell = () => {
    line.value = model.get("line");
  };
  model.on("change:order", draw);
  model.on("change:line", tell);
  draw();
  tell();
  return () => {
    model.off("change:order", draw);
    model.off("change:line", tell);
  };
}
export default { render };
