"""A register script with a bug that no first boot shows, and what a reader may suspect of it.

    boot_by(conn, queue, GIVEN, [900_000, 900_000])     two boots by it, as a trace

Source: exercises, 2.4.
"""

#: The script. KEYS and ARGV are those of @register, and so are its answers.
GIVEN = """\
local there = redis.call('EXISTS', KEYS[2])
redis.call('HSET', KEYS[2], 'every_ms', ARGV[2])
if there == 1 then return 0 end
redis.call('HSET', KEYS[2], 'template', ARGV[3])
redis.call('ZADD', KEYS[1], tonumber(ARGV[4]), ARGV[1])
return 1
"""

#: Letter -> what a second boot that asks for another period might do. One of them happens.
SUSPECTS: dict[str, str] = {
    "A": "The registry gets a second entry.",
    "B": "The live score moves.",
    "C": "The record takes the period of the second boot.",
    "D": "The record takes the template of the second boot.",
    "E": "The second boot is answered as if the name were new.",
}
