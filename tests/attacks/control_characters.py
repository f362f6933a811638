"""Errors and names hold what would move a terminal's cursor, end a page's tag, or be no text at all.

exercise: 1.2
status: wrong
earned: 0
says: Your answer stopped with an error.
came: it raised ValueError: \\x1b[2J\\ud800</td><script>alert(1)</script>\\u202e
remark: cell answer raised RuntimeError: \\x1b[2J\\x07\\udcff
"""


def next_interval(prev_ms, every_ms):
    raise ValueError("\x1b[2J\ud800</td><script>alert(1)</script>\u202e")


raise RuntimeError("\x1b[2J\x07\udcff")
