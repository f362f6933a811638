"""A figure drawn once and then only moved: the technique of every picture in a widget.

matplotlib draws every part that the figure has room for, at its left edge, each with a gid. From then on a change is a
style block (where each part stands, which are hidden), the texts and the alt text: half a millisecond where
drawing anew takes thirty. The picture follows the theme.

Source: widgets, "The technique, chosen by measurement".
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from uuid import uuid4

import ipywidgets
from matplotlib.figure import Figure

from echomq_lab.figures import LEFT, WIDTH, draw, theme_svg
from echomq_lab.layout import Layout, room
from echomq_lab.widgets.app import scrolling


class Stage:
    """The parts of a figure behind one `HTML` widget, `view`.

    `texts` are the gids whose words change. Ids carry a uuid: an old output on the page must not answer for a new one.
    """

    def __init__(self, figure: Figure, texts: Iterable[str]) -> None:
        self.view = ipywidgets.HTML()
        self._prefix = f"s{uuid4().hex[:12]}-"
        svg = theme_svg(figure, self._prefix)
        self._head, body = svg.split(">", 1)
        self._texts: list[str] = []
        self._pieces: list[str] = []
        end = 0
        for match in sorted((self._text(body, gid) for gid in texts), key=re.Match.start):
            self._texts.append(match["gid"])
            self._pieces.append(body[end : match.start("words")])
            end = match.end("words")
        self._last = body[end:]

    def show(self, styles: Mapping[str, str], texts: Mapping[str, str], alt: str) -> None:
        """Style parts by gid, put in the words by gid (a text that is not named is empty), name the picture `alt`."""
        css = "".join(f"#{self._prefix}{gid}{{{style}}}" for gid, style in styles.items())
        words = (html.escape(texts.get(gid, "")) for gid in self._texts)
        body = "".join(piece + word for piece, word in zip(self._pieces, words, strict=True))
        named = (
            f'{self._head} role="img" aria-label="{html.escape(alt)}" style="width:100%;min-width:35rem;height:auto">'
        )
        self.view.value = scrolling(f"<style>{css}</style>{named}{body}{self._last}", "Picture")

    def _text(self, body: str, gid: str) -> re.Match[str]:
        place = rf'<g id="{self._prefix}(?P<gid>{re.escape(gid)})">\s*<text[^>]*>(?P<words>[^<]*)</text>'
        found = re.search(place, body)
        if found is None:
            raise LookupError(f"the figure has no text {gid!r}")
        return found


class RailStage(Stage):
    """A clock rail that moves, of at most `most` marks a lane: `place` shows a `Layout` on it."""

    def __init__(self, kinds: tuple[str, ...], most: int) -> None:
        everything = room(kinds, most)
        self._parts = [mark.gid for mark in everything.marks]
        self._parts += [stretch.gid for stretch in (*everything.hops, *everything.bars)]
        self._parts += [f"tick-{number}" for number in range(len(everything.ticks))]
        self._kinds = kinds
        super().__init__(draw(everything), [word.gid for word in everything.words])

    def place(self, layout: Layout) -> None:
        """Move everything to where the layout has it; a part that it does not have is hidden."""
        styles = dict.fromkeys(self._parts, "visibility:hidden")
        styles |= {f"{kind}-band": "" if kind in layout.lit else "visibility:hidden" for kind in self._kinds}
        styles["now"] = "visibility:hidden" if layout.now_x is None else _at(layout.now_x)
        styles |= {f"tick-{number}": _at(x) for number, x in enumerate(layout.ticks)}
        for mark in layout.marks:
            styles[mark.gid] = _at(mark.x)
            styles[f"{mark.gid} use"] = f"fill-opacity:{0 if mark.hollow else 1}!important"
        for hop in (*layout.hops, *layout.bars):
            styles[hop.gid] = f"{_at(hop.x)} scaleX({hop.width:.5f});transform-origin:{LEFT}px 0"
            styles[f"{hop.gid} path"] = "vector-effect:non-scaling-stroke"
        styles |= {word.gid: _at(word.x) for word in layout.words}
        self.show(styles, {word.gid: word.text for word in layout.words}, layout.alt)


def _at(x: float) -> str:
    return f"transform:translate({x * WIDTH:.2f}px,0)"
