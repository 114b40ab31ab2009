import { createHmac } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { deriveKeyring } from '../values/keyring.ts'
import { isRecord, recordIn } from '../values/records.ts'
import { nonceBytes, seal, unseal } from '../values/seal.ts'
import { type App, isContractPath } from './routes.ts'

/**
 * Pagination cursors as callers see them: encrypted, so that nobody reads or forges one, each bound to its path and
 * organization.
 */
export interface Cursors {
  readonly seal: (request: FastifyRequest, place: string) => string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    takesCursor?: boolean
  }
}

/** A position that never occurs, so that the route refuses it in its own words. */
const invalidPosition = '!'

/** Decrypts the cursor of a query before validation, and encrypts the one in a response. */
export function sealCursors(app: App, config: Pick<Config, 'masterKeys'>): Cursors {
  const keyring = deriveKeyring(config.masterKeys(), 'cursors')
  const nonces = deriveKeyring(config.masterKeys(), 'nonces of cursors').current.bytes
  const contextOf = ({ route, principal, originalUrl }: FastifyRequest) =>
    [route.template, principal?.orgId, originalUrl.split('?', 1)[0]].join(' ')

  /** Encrypts a position; the same position always has the same cursor, so that an export read twice has the same bytes. */
  function close(request: FastifyRequest, place: string): string {
    const context = contextOf(request)
    const nonce = createHmac('sha256', nonces)
      .update(JSON.stringify([context, place]))
      .digest()
      .subarray(0, nonceBytes)
    return seal(keyring, place, context, nonce).toString('base64url')
  }

  function open(request: FastifyRequest, cursor: string): string {
    const bytes = Buffer.from(cursor, 'base64url')
    try {
      // Another spelling of the same bytes is not one of our cursors either.
      return bytes.toString('base64url') === cursor ? unseal(keyring, bytes, contextOf(request)) : invalidPosition
    } catch {
      return invalidPosition
    }
  }

  app.addHook('onRoute', (options) => {
    const { properties } = recordIn(options.schema?.querystring)
    if (isContractPath(options.url) && isRecord(properties) && 'cursor' in properties)
      options.config = { ...options.config, takesCursor: true }
  })

  app.addHook('preValidation', (request, _reply, done) => {
    const query = recordIn(request.query)
    const { cursor } = query
    if (request.route.takesCursor === true && typeof cursor === 'string' && cursor !== '')
      query['cursor'] = open(request, cursor)
    done()
  })

  app.addHook('preSerialization', (request, _reply, payload, done) => {
    const cursor = request.route.takesCursor === true && isRecord(payload) ? payload['next_cursor'] : undefined
    done(null, typeof cursor === 'string' ? { ...recordIn(payload), next_cursor: close(request, cursor) } : payload)
  })

  return { seal: close }
}
