-- KEYS[1] pending   KEYS[2] active
-- ARGV[1] the prefix of the job rows   ARGV[2] lease, ms
-- ARGV[3] now in Unix ms; absent or empty: the server's TIME
-- {id, attempts, payload}, or nil when nothing is pending
-- The row key is built here; it shares the hashtag of KEYS, so in a cluster it is on the same node.
local popped = redis.call('ZPOPMIN', KEYS[1])
if #popped == 0 then return false end
local id = popped[1]
local row = ARGV[1] .. id
local attempts = redis.call('HINCRBY', row, 'attempts', 1)
redis.call('HSET', row, 'state', 'active')
local now = tonumber(ARGV[3] or '')
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
redis.call('ZADD', KEYS[2], now + tonumber(ARGV[2]), id)
return { id, attempts, redis.call('HGET', row, 'payload') }
