"""Whatever is done to the answer raises.

exercise: 1.2
status: wrong
earned: 0
says: The answer is no int.
"""


class Hostile:
    def refuse(self, *_):
        raise ValueError

    __repr__ = __str__ = __iter__ = __len__ = __bool__ = __eq__ = __hash__ = __int__ = __index__ = refuse
    __getattribute__ = refuse


def next_interval(prev_ms, every_ms):
    return Hostile()
