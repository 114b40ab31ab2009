/** Refusals that a proxy makes by itself, in the envelope of the API: with a request that is no HTTP, and with no cell that answers. */
const envelope = (code: string, message: string) => JSON.stringify({ error: { code, message, details: {} } })

export const contentType = 'application/json; charset=utf-8'
export const malformed = envelope('bad_request', 'The request is malformed or too large.')
export const away = envelope(
  'service_unavailable',
  'The service does not answer. Retry with backoff and the same Idempotency-Key.',
)
