import { present } from '../values/present.ts'
import { maxBodyBytes } from './body.ts'
import { ApiError } from './errors.ts'
import type { App } from './routes.ts'

/** Bodies up to this size are not counted. */
const freeBytes = 16_384

/** Share of the memory that one organization may use. */
const maxOrgShare = 0.5

/**
 * Bounds the memory of all request bodies in the process, and of those of one organization. A body is counted before it is
 * read, as the most that it may become, until its request ends.
 */
export function boundBodyMemory(app: App, { bodyMemoryBytes }: { bodyMemoryBytes: number }) {
  const byOrg = new Map<string, number>()
  let total = 0

  app.addHook('onRequest', (request, reply, done) => {
    const bytes = maxBodyBytes(request)
    if (bytes <= freeBytes) return done()
    const orgId = request.principal?.orgId ?? ''
    const before = byOrg.get(orgId) ?? 0
    // The first body is always admitted, or a large body limit could never be used.
    const isTooMuch =
      (total > 0 && total + bytes > bodyMemoryBytes) || (before > 0 && before + bytes > bodyMemoryBytes * maxOrgShare)
    if (isTooMuch)
      return done(
        new ApiError(
          'service_unavailable',
          {},
          { message: 'Too many large request bodies are in progress. Retry with backoff.' },
        ),
      )
    total += bytes
    byOrg.set(orgId, before + bytes)
    reply.raw.once('close', () => {
      total -= bytes
      const left = present(byOrg.get(orgId)) - bytes
      if (left > 0) byOrg.set(orgId, left)
      else byOrg.delete(orgId)
    })
    done()
  })
}
