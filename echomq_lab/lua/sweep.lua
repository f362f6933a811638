-- KEYS[1] the registry   KEYS[2] pending
-- ARGV[1] the queue's key prefix   ARGV[2] now in Unix ms
-- ARGV[3] fresh ids of 14 bytes in a row, as many as names to read
-- {fired, swept, {broken name, ...}}
-- Records and rows are built here; they share the hashtag of KEYS, so in a cluster they are on the same node.
local call, now = redis.call, tonumber(ARGV[2])
local record_prefix, row_prefix = ARGV[1] .. 'repeat:', ARGV[1] .. 'job:'
local ids, rows, ready, entries, swept, broken = {}, {}, {}, {}, 0, {}

-- A call costs more than what it does, so one does for many; Lua's stack bounds how many.
local function in_parts(words, act)
  for from = 1, #words, 1000 do act(unpack(words, from, math.min(from + 999, #words))) end
end

for at = 1, #ARGV[3], 14 do
  ids[#ids + 1] = string.sub(ARGV[3], at, at + 13)
  rows[#rows + 1] = row_prefix .. ids[#ids]
end
local used = 0
in_parts(rows, function(...) used = used + call('EXISTS', ...) end)
-- Ids that are there: this very call was done before and its reply lost, or another pump mints the same ids. To
-- advance an entry under such an id would lose its occurrence; nothing is done, and all is due still.
if used > 0 then return { 0, 0, {} } end

call('ZCARD', KEYS[2]) -- of another type: an error here, before anything is written
for _, name in ipairs(call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2], 'LIMIT', 0, #ids)) do
  local record = redis.pcall('HMGET', record_prefix .. name, 'every_ms', 'template')
  if record.err or name == '' then
    broken[#broken + 1] = name
  elseif not (record[1] and record[2]) then
    call('ZREM', KEYS[1], name)
    call('DEL', record_prefix .. name)
    swept = swept + 1
  else
    local digits = string.match(record[1], '^%+?(%d+)$')
    local every = digits and #digits <= 32 and tonumber(digits)
    if every and every >= 1 and every <= 9007199254740991 then
      local at = #ready / 2 + 1
      call('HSET', rows[at], 'state', 'pending', 'attempts', '0', 'payload', record[2])
      ready[#ready + 1], ready[#ready + 2] = 0, ids[at]
      entries[#entries + 1], entries[#entries + 2] = now + every, name
    else
      broken[#broken + 1] = name
    end
  end
end
in_parts(ready, function(...) call('ZADD', KEYS[2], ...) end)
in_parts(entries, function(...) call('ZADD', KEYS[1], ...) end)
return { #ready / 2, swept, broken }
