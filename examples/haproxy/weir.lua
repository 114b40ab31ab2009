-- Weir in front of a model provider, in HAProxy. Every call is decided by POST /v1/edge/decision before it is sent. HAProxy does
-- not see what a call used: set `edge_expiry` to `charge`, so that each is charged what was held for it unless somebody reports it.

local weir_url = os.getenv("WEIR_URL")

-- Members of a call whose cost is bounded by its text and its longest answer. All others are refused.
local known = {}
for name in ([[model messages max_tokens max_completion_tokens n stream stream_options temperature top_p stop seed user
  presence_penalty frequency_penalty response_format logprobs top_logprobs logit_bias]]):gmatch("%S+") do
  known[name] = true
end

-- JSON, read strictly: two members of one name are refused, because parsers differ on which of them counts.
local read_value

local function skip_blanks(text, at)
  return text:find("[^ \t\r\n]", at) or #text + 1
end

local function read_string(text, at)
  local from = at + 1
  local position = from
  while true do
    position = text:find('["\\]', position)
    if not position then error("The body must be JSON.", 0) end
    if text:sub(position, position) == '"' then return text:sub(from, position - 1), position + 1 end
    position = position + 2
  end
end

local function read_members(text, at, close, read_member)
  at = skip_blanks(text, at + 1)
  if text:sub(at, at) == close then return at + 1 end
  while true do
    at = skip_blanks(text, read_member(at))
    local mark = text:sub(at, at)
    if mark == close then return at + 1 end
    if mark ~= "," then error("The body must be JSON.", 0) end
    at = skip_blanks(text, at + 1)
  end
end

local function read_object(text, at, depth)
  local object = {}
  return object, read_members(text, at, "}", function(from)
    if text:sub(from, from) ~= '"' then error("The body must be JSON.", 0) end
    local name, after = read_string(text, from)
    if name:find("\\", 1, true) then error("Names of members must be written without escapes.", 0) end
    if object[name] ~= nil then error("The member " .. name .. " is there twice.", 0) end
    after = skip_blanks(text, after)
    if text:sub(after, after) ~= ":" then error("The body must be JSON.", 0) end
    object[name], after = read_value(text, skip_blanks(text, after + 1), depth + 1)
    return after
  end)
end

local function read_array(text, at, depth)
  local array = { is_array = true }
  return array, read_members(text, at, "]", function(from)
    local value, after = read_value(text, from, depth + 1)
    array[#array + 1] = value
    return after
  end)
end

local literals = { ["true"] = true, ["false"] = false, ["null"] = "null" }

read_value = function(text, at, depth)
  if depth > 32 then error("The body is nested too deeply.", 0) end
  local mark = text:sub(at, at)
  if mark == "{" then return read_object(text, at, depth) end
  if mark == "[" then return read_array(text, at, depth) end
  if mark == '"' then return read_string(text, at) end
  local word = text:match("^[%w+.-]+", at) or ""
  if literals[word] ~= nil then return literals[word], at + #word end
  if not word:match("^-?%d") or not tonumber(word) then error("The body must be JSON.", 0) end
  return { number = word }, at + #word
end

local function count_of(value, name, default)
  if value == nil then return default end
  local number = type(value) == "table" and value.number or ""
  if not number:match("^[1-9]%d?%d?%d?%d?%d?%d?$") then
    error(name .. " must be a whole number from 1 to 9999999.", 0)
  end
  return tonumber(number)
end

-- The most tokens that a text can be. A token is at least one byte; a tokenizer that normalizes makes of one byte beyond ASCII at
-- most eleven, and of an escape at most thirty-three.
local function most_tokens(text)
  local _, wide = text:gsub("[\128-\255]", "")
  local _, escapes = text:gsub("\\u", "")
  return #text + 10 * wide + 33 * escapes
end

local function bound(text)
  local call, after = read_value(text, skip_blanks(text, 1), 1)
  if type(call) ~= "table" or call.is_array or call.number or skip_blanks(text, after) <= #text then
    error("The body must be one JSON object.", 0)
  end
  for name in pairs(call) do
    if not known[name] then error(name .. " is not open here: its cost cannot be bounded.", 0) end
  end
  if type(call.model) ~= "string" or call.model:find('[\\"]') then error("The body must name a model.", 0) end
  if type(call.messages) ~= "table" then error("The body must have messages.", 0) end
  for _, message in ipairs(call.messages) do
    if type(message) ~= "table" or type(message.content) ~= "string" then
      error("Every message must have a text as its content.", 0)
    end
  end
  if call.max_tokens ~= nil and call.max_completion_tokens ~= nil then
    error("Send max_completion_tokens or max_tokens, not both.", 0)
  end
  local output = count_of(call.max_completion_tokens or call.max_tokens, "max_completion_tokens", nil)
  if output == nil then error("The body must bound the answer with max_completion_tokens.", 0) end
  return string.format('{"model":"%s","input_tokens":%d,"max_output_tokens":%d}', call.model, most_tokens(text),
    output * count_of(call.n, "n", 1))
end

local function answer(txn, status, headers, body)
  local reply = txn:reply({ status = status })
  for name, values in pairs(headers) do
    for _, value in pairs(values) do reply:add_header(name, value) end
  end
  reply:set_body(body)
  txn:done(reply)
end

local function refuse(txn, status, code, message)
  local body = string.format('{"error":{"code":"%s","message":"%s"}}', code, message:gsub('[^%w%p ]', ""):gsub('[\\"]', ""))
  answer(txn, status, { ["content-type"] = { "application/json" }, ["cache-control"] = { "no-store" } }, body)
end

local relayed = { ["content-type"] = true, ["retry-after"] = true, ["www-authenticate"] = true, ["x-svc-trace-id"] = true }

core.register_action("weir_decide", { "http-req" }, function(txn)
  local text = txn.sf:req_body()
  if #text ~= tonumber(txn.f:req_body_size()) then
    return refuse(txn, 413, "payload_too_large", "The body does not fit into a buffer.")
  end
  local is_bounded, held = pcall(bound, text)
  if not is_bounded then return refuse(txn, 400, "validation_failed", held) end
  local decision = core.httpclient():post({
    url = weir_url .. "/v1/edge/decision",
    headers = {
      ["content-type"] = { "application/json" },
      ["authorization"] = { txn.sf:req_fhdr("authorization") },
    },
    body = held,
  })
  if decision.status == 200 then return end
  -- An answer that is not Weir's own says nothing about the call.
  local kind = decision.headers and decision.headers["content-type"] and decision.headers["content-type"][0] or ""
  if decision.status < 400 or not kind:find("json", 1, true) then
    return refuse(txn, 503, "service_unavailable", "There was no decision. Ask again in a moment.")
  end
  local headers = {}
  for name, values in pairs(decision.headers) do
    if relayed[name] then headers[name] = values end
  end
  answer(txn, decision.status, headers, decision.body)
end)
