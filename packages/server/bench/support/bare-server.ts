import type { AddressInfo } from 'node:net'
import fastify from 'fastify'

/** What decisions are compared with: the framework parses the body and writes the answer, and nobody decides anything. */
const app = fastify()
const answer = {
  decision: 'allow',
  decision_id: 'dec_01jd3v5v7pf4ra7c9s2q8xk0zt',
  reservation_id: 'rsv_01jd3v5v7pf4ra7c9s2q8xk0zt',
  reserved_usd: '0.008',
  remaining_usd: '99999999.992',
  expires_at: '2026-01-31T12:00:00.000Z',
}
// The plainest schema that writes it: what the program's own costs is part of the comparison.
const properties = Object.fromEntries(Object.keys(answer).map((name) => [name, { type: 'string' }]))
const schema = { response: { 200: { type: 'object', properties } } }
app.post('/v1/edge/decision', { schema }, async () => answer)
await app.listen({ host: '127.0.0.1', port: 0 })
process.send!((app.server.address() as AddressInfo).port)
process.on('disconnect', () => process.exit(0))
