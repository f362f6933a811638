-- KEYS[1] the job row   KEYS[2] schedule
-- ARGV[1] id   ARGV[2] payload   ARGV[3] 'at' or 'in'   ARGV[4] the instant, or the delay from now, in ms
-- ARGV[5] now in Unix ms; absent or empty: the server's TIME
-- 1: scheduled   0: the row was there, nothing was written
if string.sub(ARGV[1], 1, 3) ~= 'JOB' then
  return redis.error_reply('EMQKIND a queue takes ids that begin with JOB')
end
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local run_at = tonumber(ARGV[4])
if ARGV[3] == 'in' then
  local now = tonumber(ARGV[5] or '')
  if not now then
    local time = redis.call('TIME')
    now = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  run_at = now + run_at
end
redis.call('HSET', KEYS[1], 'state', 'scheduled', 'attempts', '0', 'payload', ARGV[2])
redis.call('ZADD', KEYS[2], run_at, ARGV[1])
return 1
