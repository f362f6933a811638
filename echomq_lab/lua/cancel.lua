-- KEYS[1] the registry   KEYS[2] the record
-- ARGV[1] name
-- 1: the entry was removed   0: there was none (its record, if any, is gone too)
local removed = redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[2])
return removed
