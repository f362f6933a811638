"""pyproject.toml, requirements.lock and environment.yml tell one story."""

import re
import runpy
import tomllib
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

TOP = Path(__file__).parent.parent
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))
LOCK = (TOP / "requirements.lock").read_text("utf-8")
ENVIRONMENT: dict[str, Any] = yaml.safe_load((TOP / "environment.yml").read_text("utf-8"))

PINS = [Requirement(line.removesuffix(" \\")) for line in LOCK.splitlines() if re.match("[a-z0-9]", line)]
PLACES = [
    {"python_version": minor, "python_full_version": f"{minor}.{patch}", "sys_platform": system, "os_name": "posix"}
    for (minor, patch), system in product([("3.11", 0), ("3.11", 9), ("3.12", 1), ("3.13", 0)], ["linux", "darwin"])
]
RANGES = [
    *PROJECT["project"]["dependencies"],
    *PROJECT["project"]["optional-dependencies"]["valkey"],
    *PROJECT["project"]["optional-dependencies"]["dev"],
    *PROJECT["build-system"]["requires"],
]


def pinned(place: dict[str, str]) -> dict[str, str]:
    """name -> version, for a Python on a system; each name once."""
    pins = [pin for pin in PINS if pin.marker is None or pin.marker.evaluate({**place, "extra": ""})]
    found = {pin.name: str(pin.specifier).removeprefix("==") for pin in pins}
    assert len(found) == len(pins)
    return found


@pytest.mark.parametrize("place", PLACES, ids=lambda place: f"{place['python_full_version']}-{place['sys_platform']}")
def test_every_range_of_the_project_holds_a_pin_of_the_lock(place: dict[str, str]) -> None:
    pins = pinned(place)
    for requirement in map(Requirement, RANGES):
        assert requirement.specifier.contains(pins[requirement.name.lower()]), requirement


def test_every_pin_has_one_version_and_its_hashes() -> None:
    entries = re.split(r"^(?=[a-z0-9])", LOCK, flags=re.MULTILINE)[1:]
    assert len(entries) == len(PINS) > 100
    for entry in entries:
        assert re.match(r"[a-z0-9.-]+==[a-z0-9.]+( ; [^\\]+)? \\\n(    --hash=sha256:[0-9a-f]{64}( \\)?\n)+", entry), (
            entry
        )


def test_the_lock_names_no_host_and_no_folder() -> None:
    assert not re.search(r"://|--(extra-)?index|--find-links|^ *#.*/", LOCK, re.MULTILINE)


def test_the_environment_pins_what_the_lock_pins() -> None:
    *conda, pip = ENVIRONMENT["dependencies"]
    *pins, itself = pip["pip"]
    assert [str(Requirement(pin)) for pin in pins] == [str(pin) for pin in PINS]
    assert itself == "-e ."
    assert not any("--hash" in pin for pin in pins)
    python, its_pip = conda
    assert its_pip == "pip"
    assert SpecifierSet(PROJECT["project"]["requires-python"]).contains(python.removeprefix("python="))


def test_the_environment_is_the_one_that_make_lock_writes() -> None:
    assert runpy.run_path(str(TOP / ".ci" / "lock.py"))["environment"](LOCK) == (TOP / "environment.yml").read_text()


def test_the_package_is_typed_and_its_licence_is_told() -> None:
    assert (TOP / "echomq_lab" / "py.typed").is_file()
    assert PROJECT["project"]["license"] == "BSD-3-Clause"
    assert (TOP / "LICENSE").read_text("utf-8").startswith("BSD 3-Clause License")
    assert PROJECT["project"]["requires-python"] == ">=3.11,<3.14"
    assert PROJECT["project"]["scripts"] == {"echomq-lab": "echomq_lab.cli:main"}
