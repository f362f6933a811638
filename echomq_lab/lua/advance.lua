-- KEYS[1] the registry   KEYS[2] the record
-- ARGV[1] name   ARGV[2] next run, Unix ms
-- 1: advanced   0: no record, the entry was swept
if redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('ZREM', KEYS[1], ARGV[1])
  return 0
end
redis.call('ZADD', KEYS[1], tonumber(ARGV[2]), ARGV[1])
return 1
