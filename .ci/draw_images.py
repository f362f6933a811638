"""Draw the pictures of the documentation from runs of the lab: `python .ci/draw_images.py [FOLDER]`.

Writes two-rules.svg and two-rules.png, to docs/images unless told otherwise. A test draws the SVG anew and compares.
docs/images/tracer.png is a screenshot: with ECHOMQ_LAB_PICTURES=FOLDER the browser tests leave it there as
tracer-opened-light-1200.png.
"""

import sys
from pathlib import Path

from echomq_lab import Cron, FixedClock, connect, figures, scenario

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"


def draw(folder: Path) -> list[Path]:
    """Draw every picture into a folder; answer the files."""
    folder.mkdir(parents=True, exist_ok=True)
    with connect("embedded://fakeredis", clock=FixedClock("08:50")) as conn:
        two_rules = figures.rail(scenario.cadences(conn, "rules", cron=Cron("0 9 * * *"), every_ms=900_000))
    return [two_rules.save(folder / f"two-rules.{kind}") for kind in ("svg", "png")]


if __name__ == "__main__":
    for path in draw(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES):
        print(path)
