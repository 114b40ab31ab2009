// Weir in front of a model provider, in nginx. Every call is decided by POST /v1/edge/decision before it is sent; what it used is
// written to a log of which each line is a run for POST /v1/runs/bulk.

/** Longest answer of a call that names no bound. It is written into the call, so that what is held is what can be billed. */
const defaultMaxOutputTokens = 4096

/** Fields of a call that can cost money beside plain tokens. This example cannot bound them, so it refuses them. */
const unbounded = ['tools', 'web_search_options', 'audio', 'modalities', 'prediction', 'service_tier', 'store']

function refuse(r, status, code, message) {
  r.headersOut['Content-Type'] = 'application/json'
  r.headersOut['Cache-Control'] = 'no-store'
  r.return(status, JSON.stringify({ error: { code: code, message: message } }))
}

/** The most tokens of a text: one is at least one byte, and a tokenizer that normalizes makes of a byte beyond ASCII at most eleven. */
function mostTokens(text) {
  return Buffer.byteLength(text) + 10 * Buffer.byteLength(text.replace(/[ -~]/g, ''))
}

/** Answers the call as it is sent, and what may be held for it; throws a sentence for the caller where nothing bounds it. */
function bound(text) {
  const call = JSON.parse(text)
  if (call === null || typeof call !== 'object' || Array.isArray(call))
    throw new Error('The body must be a JSON object.')
  if (typeof call.model !== 'string') throw new Error('The body must name a model.')
  unbounded.forEach((name) => {
    if (call[name] !== undefined) throw new Error(`${name} is not open here: its cost cannot be bounded.`)
  })
  ;(Array.isArray(call.messages) ? call.messages : [null]).forEach((message) => {
    const isText = message !== null && typeof message === 'object' && typeof message.content === 'string'
    if (!isText) throw new Error('Every message must have a text as its content.')
  })
  const choices = call.n === undefined ? 1 : call.n
  const asked = call.max_completion_tokens === undefined ? call.max_tokens : call.max_completion_tokens
  const output = asked === undefined ? defaultMaxOutputTokens : asked
  if (![choices, output].every((count) => Number.isInteger(count) && count >= 1 && count <= 1000000))
    throw new Error('n and max_completion_tokens must be whole numbers from 1 to 1000000.')
  call.max_completion_tokens = output
  delete call.max_tokens
  // The usage of a stream is in its last event, if it is asked for.
  if (call.stream === true) call.stream_options = Object.assign({}, call.stream_options, { include_usage: true })
  // The call is written anew: of two members with one name, the provider sees the one that was read here.
  const sent = JSON.stringify(call)
  return {
    sent: sent,
    held: { model: call.model, input_tokens: mostTokens(sent), max_output_tokens: output * choices },
  }
}

/** Asks Weir. Sends the call on if it may run, else answers with the status, headers and body of Weir's refusal, unchanged. */
async function decide(r) {
  let call
  try {
    call = bound(r.requestText || '')
  } catch (fault) {
    refuse(r, 400, 'validation_failed', fault.message)
    return
  }
  const decision = await r.subrequest('/weir/decision', { method: 'POST', body: JSON.stringify(call.held) })
  if (decision.status !== 200) {
    relay(r, decision)
    return
  }
  r.variables.weir_reservation = JSON.parse(decision.responseText).reservation_id
  r.variables.weir_body = call.sent
  r.internalRedirect('@provider')
}

function relay(r, decision) {
  // An answer that is not Weir's own says nothing about the call.
  if (decision.status < 400 || !/json/.test(decision.headersOut['Content-Type'] || '')) {
    refuse(r, 503, 'service_unavailable', 'There was no decision. Ask again in a moment.')
    return
  }
  const names = ['Content-Type', 'Retry-After', 'WWW-Authenticate', 'X-Svc-Trace-Id']
  names.forEach((name) => {
    if (decision.headersOut[name] !== undefined) r.headersOut[name] = decision.headersOut[name]
  })
  r.return(decision.status, decision.responseText)
}

/** Passes the answer on as it comes, and reads the usage that stands near its end. */
function meter(r, data, flags) {
  const tail = (r.variables.weir_tail + data.toString()).slice(-16384)
  r.variables.weir_tail = tail
  if (flags.last) {
    const last = (name) =>
      (tail.match(new RegExp(`"${name}"\\s*:\\s*\\d+`, 'g')) || []).map((pair) => pair.match(/\d+$/)[0]).pop()
    const input = last('prompt_tokens')
    const output = last('completion_tokens')
    if (input && output) r.variables.weir_used = `,"input_tokens":${input},"output_tokens":${output}`
    // What a provider refuses it does not bill. Whatever else ends without usage may have been billed.
    else if (r.status >= 400 && r.status < 500) r.variables.weir_used = ',"status":"failed","cost_usd":"0"'
  }
  r.sendBuffer(data, flags)
}

export default { decide, meter }
