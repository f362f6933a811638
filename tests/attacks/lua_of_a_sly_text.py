"""The text of the script is of a type that is another text each time it is read.

exercise: 2.3
status: wrong
earned: 0
says: REGISTER_LUA must be Lua text; it is a Sly.
"""


class Sly(str):
    def __str__(self):
        return "return 0"

    encode = __str__


REGISTER_LUA = Sly("return 1")
