-- KEYS[1] schedule   KEYS[2] pending
-- ARGV[1] the queue's key prefix   ARGV[2] at most so many
-- ARGV[3] now in Unix ms; absent or empty: the server's TIME
-- answers how many moved
-- The row keys are built here; they share the hashtag of KEYS, so in a cluster they are on the same node.
local now = tonumber(ARGV[3] or '')
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[2])
for _, id in ipairs(due) do
  redis.call('ZREM', KEYS[1], id)
  redis.call('ZADD', KEYS[2], 0, id)
  redis.call('HSET', ARGV[1] .. 'job:' .. id, 'state', 'pending')
end
return #due
