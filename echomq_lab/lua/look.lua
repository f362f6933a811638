-- KEYS the sorted sets, then one hash for each name
-- ARGV[1] how many sets   ARGV[2] the prefix of the hashes   ARGV[3] 'there' or 'gone': which hashes are asked for
-- ARGV[4] a field whose value is not asked for   ARGV[5] onwards: fields that are read
-- JSON: for each that is asked for {its place, its type, 1: it has the first field, {value, ...}, {score in each set, ...}},
-- false for what is not there, values cut short and in ASCII. Nothing is written.
local function told(value)
  return value and string.gsub(string.sub(value, 1, 100), '[\128-\255]', function(byte)
    return string.format('\\x%02x', string.byte(byte))
  end)
end
local sets, answers = tonumber(ARGV[1]), {}
for at = sets + 1, #KEYS do
  local kind = redis.call('TYPE', KEYS[at]).ok
  if (kind == 'none') == (ARGV[3] == 'gone') then
    local has, values, scores = 0, {}, {}
    if kind == 'hash' then
      has = redis.call('HEXISTS', KEYS[at], ARGV[4])
      for field = 5, #ARGV do
        values[field - 4] = told(redis.call('HGET', KEYS[at], ARGV[field]))
      end
    end
    for set = 1, sets do
      scores[set] = redis.call('ZSCORE', KEYS[set], string.sub(KEYS[at], #ARGV[2] + 1))
    end
    answers[#answers + 1] = { at - sets, kind, has, values, scores }
  end
end
return cjson.encode(answers)
