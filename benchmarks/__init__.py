"""Speed against the stated bars: `make bench` runs every `bench_*` module here, never `make test`.

Its table is RESULTS.md, which a whole run writes.
"""
