"""The lines stand there instead of their letters.

test: letters
mistake: lines for letters
says: The list holds the lines
only: yes
"""

register_order = [
    "if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end",
    "redis.call('HSET', KEYS[2], 'every_ms', ARGV[2], 'template', ARGV[3])",
    "redis.call('ZADD', KEYS[1], tonumber(ARGV[4]), ARGV[1])",
    "return 1",
]
