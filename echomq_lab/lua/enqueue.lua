-- KEYS[1] the job row   KEYS[2] pending
-- ARGV[1] id   ARGV[2] payload
-- 1: enqueued   0: the row was there, nothing was written
if string.sub(ARGV[1], 1, 3) ~= 'JOB' then
  return redis.error_reply('EMQKIND a queue takes ids that begin with JOB')
end
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'state', 'pending', 'attempts', '0', 'payload', ARGV[2])
redis.call('ZADD', KEYS[2], 0, ARGV[1])
return 1
