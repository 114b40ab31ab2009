-- Decides all windows of one request together, all or none.
--
-- A window is a ring of buckets: the current one and the `slices` before it. They reach back at least the window's
-- length, so what they hold is never less than what any span of that length saw, and at most one slice more. A window
-- with no slices is a fixed one: it is empty again at the next multiple of its length.
--
-- KEYS: one hash per window. Fields: `i` index of the latest bucket, `o` of the oldest that is not empty, `s` the sum of
--       all, and each bucket under its index modulo the size of the ring.
-- ARGV: per window limit, cost, length in ms, slices.
-- Answer: now in ms, 1 or 0 for admitted, and per window: the sum, ms until some of it comes back, ms until the cost
--       would pass (0: it does).

local time = redis.call('TIME')
local nowMs = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local plain = function(number) return string.format('%.0f', number) end

local windows = {}
local admitted = 1

for n, key in ipairs(KEYS) do
  local limit, cost = tonumber(ARGV[n * 4 - 3]), tonumber(ARGV[n * 4 - 2])
  local windowMs, slices = tonumber(ARGV[n * 4 - 1]), tonumber(ARGV[n * 4])
  local perWindow = math.max(slices, 1)
  local ring = slices + 1
  local now = math.floor(nowMs * perWindow / windowMs)
  local bucket = function(index) return tonumber(redis.call('HGET', key, plain(index % ring)) or 0) end
  local expiresInMs = function(index) return math.ceil((index + ring) * windowMs / perWindow) - nowMs end

  local stored = redis.call('HMGET', key, 'i', 'o', 's')
  local latest, oldest, sum = tonumber(stored[1]), tonumber(stored[2]), tonumber(stored[3])
  if latest and latest > now then
    -- The clock went back. A little: time stands still until it has caught up. More than the window: nothing is known.
    if latest - now > ring then latest = nil else now = latest end
  end
  if not latest or now - latest > slices then
    if stored[1] then redis.call('DEL', key) end
    oldest, sum = now, 0
  elseif latest < now then
    while oldest < now - slices do
      sum = sum - bucket(oldest)
      redis.call('HDEL', key, plain(oldest % ring))
      oldest = oldest + 1
    end
    while oldest < now and redis.call('HEXISTS', key, plain(oldest % ring)) == 0 do oldest = oldest + 1 end
    redis.call('HSET', key, 'i', plain(now), 'o', plain(oldest), 's', plain(sum))
  end

  local waitMs = 0
  if cost > limit then
    waitMs = windowMs
  elseif sum + cost > limit then
    local left, index = sum, oldest
    while left + cost > limit do
      left = left - bucket(index)
      index = index + 1
    end
    waitMs = math.max(expiresInMs(index - 1), 1)
  end
  if waitMs > 0 then admitted = 0 end
  windows[n] = {
    key = key, cost = cost, now = now, oldest = oldest, sum = sum, ring = ring, windowMs = windowMs, waitMs = waitMs,
    keepMs = math.ceil(windowMs + windowMs / perWindow), expiresInMs = expiresInMs,
  }
end

local answer = { nowMs, admitted }
for _, window in ipairs(windows) do
  if admitted == 1 and window.cost > 0 then
    window.sum = window.sum + window.cost
    redis.call('HINCRBY', window.key, plain(window.now % window.ring), plain(window.cost))
    redis.call('HSET', window.key, 'i', plain(window.now), 'o', plain(window.oldest), 's', plain(window.sum))
    redis.call('PEXPIRE', window.key, window.keepMs)
  end
  answer[#answer + 1] = window.sum
  answer[#answer + 1] = window.sum > 0 and math.max(window.expiresInMs(window.oldest), 0) or 0
  answer[#answer + 1] = window.waitMs
end
return answer
