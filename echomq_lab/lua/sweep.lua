-- KEYS[1] the registry   KEYS[2] pending
-- ARGV[1] the queue's key prefix   ARGV[2] now in Unix ms   ARGV[3] onwards: fresh ids, as many as names to read
-- {fired, swept, {broken name, ...}}
-- Records and rows are built here; they share the hashtag of KEYS, so in a cluster they are on the same node.
local now, most = tonumber(ARGV[2]), #ARGV - 2
local fired, swept, broken = 0, 0, {}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2], 'LIMIT', 0, most)) do
  local record = redis.pcall('HMGET', ARGV[1] .. 'repeat:' .. name, 'every_ms', 'template')
  if record.err then
    broken[#broken + 1] = name
  elseif not (record[1] and record[2]) then
    redis.call('ZREM', KEYS[1], name)
    redis.call('DEL', ARGV[1] .. 'repeat:' .. name)
    swept = swept + 1
  else
    local digits = string.match(record[1], '^%+?(%d+)$')
    local every = digits and #digits <= 32 and tonumber(digits)
    local id = ARGV[fired + 3]
    if not every or every < 1 or every > 9007199254740991 then
      broken[#broken + 1] = name
    elseif redis.call('EXISTS', ARGV[1] .. 'job:' .. id) == 0 then
      -- A row that is there was enqueued by this very call, sent once more after a lost reply: to advance
      -- what is due by now under an id that was used would lose its occurrence.
      redis.call('HSET', ARGV[1] .. 'job:' .. id, 'state', 'pending', 'attempts', '0', 'payload', record[2])
      redis.call('ZADD', KEYS[2], 0, id)
      redis.call('ZADD', KEYS[1], now + every, name)
      fired = fired + 1
    end
  end
end
return { fired, swept, broken }
