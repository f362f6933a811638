"""What `echomq-lab bundle` makes: one zip file with the notebooks to hand in, the same bytes for the same notebooks.

    manifest.json                the kit and its version; of each notebook the SHA-256 and the exercises it answers
    01-cron-vs-interval.ipynb    without outputs, as it was last saved
    ...

Source: exercises, "Whole notebooks".
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import echomq_lab
from echomq_lab import notebook_file, workdir
from echomq_lab.checks.exercises import IDS
from echomq_lab.errors import ArgumentError, LabError
from echomq_lab.notebook_file import Notebook
from echomq_lab.wording import visible

#: The notebooks with exercises.
_HANDED_IN = re.compile(r"0[1-3]-[^/]+\.ipynb")
_DATE = (1980, 1, 1, 0, 0, 0)
_UNIX, _FILE_MODE = 3, 0o644 << 16
_MOST_OF_A_PATH = 4_096


class BundleError(LabError, OSError):
    """Nothing was written."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A notebook to hand in, and the one it was made from."""

    yours: Notebook
    ours: Notebook

    @property
    def answered(self) -> list[str]:
        """The exercises with an answer cell."""
        return list(self.yours.answers(IDS))

    @property
    def unanswered(self) -> list[str]:
        """The exercises whose answer cell is gone, or still as shipped."""
        yours = {each: cells[-1].source for each, cells in self.yours.answers(IDS).items()}
        ours = {each: cells[-1].source for each, cells in self.ours.answers(IDS).items()}
        return [each for each in ours if yours.get(each, "").strip() in ("", ours[each].strip())]


def answer(options: argparse.Namespace) -> str:
    """Write the zip file that the options name, and answer what to print.

    Raises a `LabError`, and has written nothing, for a folder or notebook that cannot be read, or a name that is taken.
    """
    parts, missing = _parts(options.dir or workdir.WORK, workdir.NOTEBOOKS)
    content = zipped({part.ours.name: part.yours.stripped() for part in parts}, parts)
    out = options.out or f"echomq-lab-{hashlib.sha256(content).hexdigest()[:8]}.zip"
    return "\n".join([_write(out, content), *_lines(parts, missing)])


def zipped(files: dict[str, bytes], parts: list[_Part]) -> bytes:
    """The bytes of the zip file: nothing in them tells of the time or the machine."""
    manifest = {
        "kit": "echomq-lab",
        "version": echomq_lab.__version__,
        "notebooks": {
            part.ours.name: {"sha256": hashlib.sha256(files[part.ours.name]).hexdigest(), "answers": part.answered}
            for part in parts
        },
    }
    told = (json.dumps(manifest, indent=1, sort_keys=True) + "\n").encode()
    buffer = io.BytesIO()
    # Stored, not deflated: two versions of zlib may write other bytes for the same text.
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in [("manifest.json", told), *sorted(files.items())]:
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system, entry.external_attr = _UNIX, _FILE_MODE
            archive.writestr(entry, content)
    return buffer.getvalue()


def _parts(work: Path, notebooks: Path) -> tuple[list[_Part], list[str]]:
    """The notebooks to hand in that are in the folder, and the names of those that are not."""
    names = [name for name in workdir.shipped(notebooks) if _HANDED_IN.fullmatch(name)]
    where = visible(str(work), _MOST_OF_A_PATH)
    if work.is_symlink():
        raise BundleError(f"{where} is a symbolic link; pass --dir with the folder itself")
    if not work.is_dir():
        problem = f"{where} is no folder" if work.exists() else f"there is no folder {where}"
        raise BundleError(f"{problem}; `{workdir.command('open')}` copies the notebooks to lab-work")
    links = [name for name in names if (work / name).is_symlink()]
    if links:
        raise BundleError(f"{links[0]} in {where} is a symbolic link; put the notebook itself there")
    there = [name for name in names if os.path.lexists(work / name)]
    if not there:
        raise BundleError(f"none of {', '.join(names)} is in {where}; pass --dir with the folder of your notebooks")
    parts = [_Part(notebook_file.read(work / name), notebook_file.read(notebooks / name)) for name in there]
    return parts, [name for name in names if name not in there]


def _write(out: str, content: bytes) -> str:
    """Write a file under a name that is free, and answer what was done."""
    path, where = Path(out), visible(out, _MOST_OF_A_PATH)
    if path.suffix != ".zip":
        raise ArgumentError("--out", out, "a file that ends in .zip", "try 'answers.zip'")
    try:
        if path.is_file() and not path.is_symlink() and path.read_bytes() == content:
            return f"{where} is there already, the same"
        workdir.write(path, content)
    except FileExistsError as error:
        raise BundleError(f"{where} is something else and stays; remove it, or pass --out with another name") from error
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ArgumentError("--out", out, "a file that can be written", why) from error
    return f"wrote {where}"


def _lines(parts: list[_Part], missing: list[str]) -> Iterator[str]:
    for part in parts:
        rest = part.unanswered
        yield f"  {part.ours.name}: " + (f"not answered: {', '.join(rest)}" if rest else "every exercise has an answer")
    yield from (f"  {name}: not in the folder, so not handed in" for name in missing)
    yield "A notebook goes in as it was last saved: save those that are open in JupyterLab, then bundle once more."
