"""What a move of a widget costs: in the kernel, and from the key press to the changed picture.

    python -m benchmarks widgets

In the kernel: the processor time of an update on the thread of a running kernel that runs it, when the slider is set
as its comm sets it, up to the last message handed out. At most 5 ms in 19 of 20 updates. Measured are moves
that only draw, one in each widget of the dives; a control that runs a scenario anew costs its commands too.

End to end: a key is pressed in JupyterLab in headless Chromium, and the page notes the instant of the key event and
that of the first frame after the watched words changed. Beside it, an empty round trip: an `IntSlider` whose observer
sets a `Label`. The two are pressed in turns, so that a slow moment of the machine falls on both. The tracer's slowest
of 19 in 20 is to take at most twice as long as the empty one's.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.table import Limit, Measured, Row

ROWS = (
    Row("an update of a widget in the kernel, the slowest p95", "ms", Limit("at most", 5)),
    Row("key press to picture to an empty round trip, p95", "ms", Limit("at most", 2)),
)
UPDATES = 200
PRESSES = 120

TRACER = "from echomq_lab.widgets import cadence_tracer\n\napp = cadence_tracer()\napp"
EMPTY = """
import ipywidgets

slider, label = ipywidgets.IntSlider(0, 0, 1000, readout=False), ipywidgets.Label("0")
slider.observe(lambda change: setattr(label, "value", str(change.new)), "value")
ipywidgets.VBox([slider, label]).add_class("empty")
"""
KERNEL = f"""
import json
from pathlib import Path
from time import thread_time_ns

from echomq_lab.widgets import advance_tracer, boot_tracer, pump_stepper

boots, advance, stepper = boot_tracer(), advance_tracer(), pump_stepper()
moves = {{
    "the tracer's clock": (app._controls.clock, "value", range(20, 100)),
    "another way to boot": (boots._controls.way, "index", range(4)),
    "a lane lit up": (advance.lit, "index", range(4)),
    "a step of the sweep": (stepper.done, "value", range(1, 7)),
}}
measured = {{}}
for name, (control, trait, values) in moves.items():
    for value in values:
        control.set_state({{trait: value}})
    times = measured[name] = []
    for number in range({UPDATES}):
        began = thread_time_ns()
        control.set_state({{trait: values[number % len(values)]}})
        times.append((thread_time_ns() - began) / 1e6)
# By a file: the page shows what is printed a while after the cell has run.
Path("measured.json").write_text(json.dumps(measured))
"""
# Where a key lands, and the words that tell that it was answered.
WATCHED = {"tracer": (".echomq-clock [role=slider]", ".echomq-app"), "empty": (".empty [role=slider]", ".empty")}
# The time from the key event to the end of the first frame after a change of what is below `part`.
WATCH = """([handle, part]) => {
  window.answered = null;
  const node = document.querySelector(handle), words = document.querySelector(part);
  node.focus();
  node.addEventListener("keydown", () => {
    const began = performance.now();
    const watch = new MutationObserver(changes => {
      // The slider itself moves at once; what counts is the kernel's answer.
      if (changes.every(change => change.target.parentElement?.closest(".widget-slider, .widget-hslider"))) return;
      watch.disconnect();
      requestAnimationFrame(() => {
        const painted = new MessageChannel();
        painted.port1.onmessage = () => { window.answered = performance.now() - began; };
        painted.port2.postMessage(null);
      });
    });
    watch.observe(words, { subtree: true, childList: true, characterData: true });
  }, { once: true, capture: true });
}"""


def quantile(times: list[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def measure(chromium: str) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Milliseconds in the kernel by what moved, and from key press to answer by what was pressed."""
    import nbformat

    from tests.browser import lab

    with TemporaryDirectory() as home:
        folder = Path(home, "notebooks")
        folder.mkdir()
        cells = [nbformat.v4.new_code_cell(code) for code in (TRACER, EMPTY, KERNEL)]
        kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernelspec})
        nbformat.write(notebook, folder / "bench.ipynb")
        with lab.jupyterlab(folder, Path(home, "home")) as url, lab.browser(chromium) as browser:
            page = browser.new_page(viewport={"width": 1200, "height": 2400})
            lab.open_notebook(page, url, "bench.ipynb")
            for number in (0, 1):
                lab.run_cell(page, number)
            page.wait_for_selector(".echomq-clock [aria-label]")
            page.wait_for_selector(".empty [role=slider]")
            pressed: dict[str, list[float]] = {name: [] for name in WATCHED}
            for press in range(PRESSES + 10):
                for name in WATCHED if press % 2 else reversed(WATCHED):
                    page.evaluate(WATCH, list(WATCHED[name]))
                    page.keyboard.press("ArrowLeft" if press // 40 % 2 else "ArrowRight")
                    page.wait_for_function("() => window.answered !== null")
                    if press >= 10:  # the first are warmed up with
                        pressed[name].append(page.evaluate("window.answered"))
            lab.run_cell(page, 2)
            kernel: dict[str, list[float]] = json.loads((folder / "measured.json").read_text())
            page.close()
    return kernel, pressed


def run() -> list[Measured]:
    """Print medians and the 19th of 20; answer the rows."""
    from tests.browser import lab

    chromium = lab.chromium()
    if chromium is None:
        return [row.missing("needs Chromium") for row in ROWS]
    kernel, pressed = measure(chromium)
    print(f"{'':<28}{'p50':>9}{'p95':>9}")
    rows = [(f"kernel, {name}", times) for name, times in kernel.items()]
    for name, times in (*rows, *((f"key press, {name}", pressed[name]) for name in pressed)):
        print(f"{name:<28}{median(times):>6.1f} ms{quantile(times, 0.95):>6.1f} ms")
    tracer_ms, empty_ms = (quantile(pressed[name], 0.95) for name in ("tracer", "empty"))
    slowest_ms = max(quantile(times, 0.95) for times in kernel.values())
    return [ROWS[0].measured(slowest_ms), ROWS[1].measured(tracer_ms, tracer_ms / empty_ms)]
