"""What stands under the name is another thing at each look.

exercise: 1.2
status: wrong
earned: 0
says: The answer is no int.
"""


class Changing:
    looks = 0

    def __call__(self, prev_ms, every_ms):
        self.looks += 1
        return [prev_ms, None, "", 4.0][self.looks % 4]


next_interval = Changing()
