"""`python -m echomq_lab` is `echomq-lab`."""

from echomq_lab.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
