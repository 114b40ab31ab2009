import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { createLookups } from '../access/identity/identity.ts'
import { reportError } from '../contract/envelope.ts'
import { isApiError } from '../contract/errors.ts'
import type { App } from '../contract/routes.ts'
import type { Platform } from '../platform/infra/platform.ts'
import { parseId } from '../values/id.ts'
import { recordIn } from '../values/records.ts'
import { openOutbound } from '../webhooks/webhooks.ts'
import { findAppsOf, takeRequest } from './app-queries.ts'
import { interactionsPath } from './manifest.ts'
import { pressIn } from './pressed.ts'
import { createPresses, type PressHooks } from './presses.ts'
import { createSlackSecrets } from './secrets.ts'
import { digestOf, isSigned, type SlackSignature, signatureIn } from './signature.ts'
import { createSlackClient } from './web-api.ts'

const maxBodyBytes = 65_536
/** Slack gives up after three seconds; what takes longer goes on, and its outcome shows in Slack all the same. */
const answerMs = 2_000

const promptLimits = { queries: 4, idsPerQuery: 100, pauseMs: 0 }
/** Lookup limits for sources that have failed too often: Slack speaks for many organizations. */
const slowLimits = { queries: 1, idsPerQuery: 100, pauseMs: 50 }
/** A secret for requests that name no app, so that their check takes as long. */
const nobodysSecret = '0'.repeat(32)

/** Takes what Slack tells of buttons that were pressed. Whatever is wrong with a request, the answer is the same. */
export async function slackInteractions(root: App, platform: Platform, hooks: PressHooks) {
  const { sql, clock, config, log, version } = platform
  const { identification } = hooks
  const outbound = openOutbound(config)
  const slack = createSlackClient(outbound, config, version, () => clock.now().getTime())
  const secrets = createSlackSecrets(config)
  const takePress = createPresses({ platform, hooks, slack, secrets })
  const read = (orgIds: readonly string[]) => findAppsOf(sql, orgIds)
  const lookups = { prompt: createLookups(read, promptLimits), slow: createLookups(read, slowLimits) }
  const underway = new Set<Promise<void>>()
  root.addHook('onClose', async () => {
    await Promise.all(underway)
    await outbound.close()
  })

  /** Returns the organization whose app has signed a request; undefined for all others, and for what was taken before. */
  async function signerOf(request: FastifyRequest, signature: SlackSignature, pace: 'prompt' | 'slow', source: string) {
    const named = parseId('org', String(recordIn(request.params)['org_id']))
    const app = named === undefined ? undefined : await lookups[pace].find(named, source, undefined)
    const secret = app && secrets.unsealSecret(app.orgId, 'signing secret', app.sealedSigningSecret)
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    if (!isSigned(secret ?? nobodysSecret, signature, body) || !app || !secret) return undefined
    const { orgId } = app
    const isNew = await sql.asOrgs([orgId], (tx) => takeRequest(tx, orgId, digestOf(signature)))
    return isNew ? app : undefined
  }

  /** Resolves when work is done, or has taken so long that Slack must have its answer. */
  async function within(work: Promise<void>) {
    const settled = work
      .catch((error: unknown) => log.error({ error }, 'a press in Slack could not be answered'))
      .finally(() => underway.delete(settled))
    underway.add(settled)
    await Promise.race([settled, sleep(answerMs, undefined, { ref: false })])
  }

  await root.register(async (app: App) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    app.setErrorHandler((thrown: unknown, request, reply) => {
      const error = reportError(log, thrown, request)
      if (isApiError(error, 'rate_limited')) reply.header('retry-after', error.details.retry_after_seconds)
      return reply.code(error.status).type('text/plain; charset=utf-8').send(error.message)
    })
    // Before the body is read: nothing but a signature of now is worth it.
    app.addHook('onRequest', async (request) => {
      if (!request.is404 && !signatureIn(request.headers, clock.now())) await identification.refuseGuess(request)
    })
    app.post(interactionsPath, { bodyLimit: maxBodyBytes, config: { urgency: 'change' } }, async (request, reply) => {
      const signer = await identification.proven(request, async (source, isOver) => {
        const signature = signatureIn(request.headers, clock.now())
        return signature && signerOf(request, signature, isOver ? 'slow' : 'prompt', source)
      })
      const press = signer.enabled ? pressIn(request.body as Buffer) : undefined
      if (press) await within(takePress(request, signer.orgId, press))
      return reply.code(200).send()
    })
  })
}
