"""Names for the keys and arguments, an if with an else, and one return; the entry is written first."""

REGISTER_LUA = """
local registry, record = KEYS[1], KEYS[2]
local name, every_ms, template, first_ms = unpack(ARGV)
local answer = 1
if redis.call('exists', record) > 0 then
    answer = 0
else
    redis.call('zadd', registry, first_ms, name)
    redis.call('hset', record, 'template', template)
    redis.call('hset', record, 'every_ms', every_ms)
end
return answer
"""
