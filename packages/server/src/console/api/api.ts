import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { csrfHeader } from '../../access/identity/identity.ts'
import { type App, reasonHeader } from '../../contract/routes.ts'
import { traceparentOf } from '../../contract/tracing.ts'
import { isRecord, recordIn } from '../../values/records.ts'
import type { components, paths } from './api-types.ts'
import type { ShareRead } from './shared-reads.ts'

export { createSharedReads } from './shared-reads.ts'

/** Schemas of the API by name, as its document has them. */
export type Schemas = components['schemas']

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P][M] extends object ? P : never
}[keyof paths]
type Operation<P extends keyof paths, M extends Method> = paths[P][M]
type Json<R> = R extends { content: { 'application/json': infer Body } } ? Body : undefined
type Success<Op> = Op extends { responses: infer R } ? Json<R[keyof R & (200 | 201 | 202)]> : undefined
type QueryOf<Op> = Op extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never
type BodyOf<Op> = Op extends { requestBody?: { content: { 'application/json': infer Body } } } ? Body : undefined
type OwnParams<Op> = Op extends { parameters: { path: infer P } } ? Omit<P, 'id'> : Record<string, never>

/** Parameters of a path beside `{id}`, which is the organization of whoever is signed in; then the query or the body. */
type With<Params, Name extends string, Value> = (string extends keyof Params
  ? { path?: never }
  : keyof Params extends never
    ? { path?: never }
    : { path: Params }) & {
  readonly [K in Name]?: Value
}

/** Paths of `POST` that change nothing: pages may ask them too. */
type Question =
  | '/v1/orgs/{id}/policies/evaluate'
  | '/v1/orgs/{id}/policies/backtest'
  | '/v1/orgs/{id}/prices/compare'
  | '/v1/routing/decision'
  | DryRun
/** Those of them that change nothing with `dry_run` only. */
type DryRun = '/v1/orgs/{id}/prices/import' | '/v1/admin/prices/import'

/** A field of a request at fault, under its name in the API. */
export interface FieldMessage {
  readonly field: string
  readonly code: string
  readonly message: string
}

/** A refusal of the API, with all that it says. */
export class ApiFault extends Error {
  readonly status: number
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
  /** Trace id of the refused request. */
  readonly traceId: string

  constructor(status: number, body: unknown, traceId: string) {
    const error = recordIn(recordIn(body)['error'])
    super(typeof error['message'] === 'string' ? error['message'] : `The API answered ${status}.`)
    this.status = status
    this.code = typeof error['code'] === 'string' ? error['code'] : 'internal_error'
    this.details = recordIn(error['details'])
    this.traceId = traceId
  }

  /** Fields at fault; empty where the refusal is about something else. */
  get fields(): readonly FieldMessage[] {
    const { fields } = this.details
    return Array.isArray(fields) ? fields.filter(isFieldMessage) : []
  }
}

const isFieldMessage = (value: unknown): value is FieldMessage =>
  isRecord(value) && typeof value['field'] === 'string' && typeof value['message'] === 'string'

/**
 * The API, as the session of a page's request may use it. Every call is a request to `/v1` with the cookie of the browser, within this
 * process: identity, rights, rate limits, validation, idempotency and audit log are those of the API, because they are the API.
 */
export interface PageApi {
  readonly get: <P extends PathsWith<'get'>>(
    path: P,
    options?: With<OwnParams<Operation<P, 'get'>>, 'query', QueryOf<Operation<P, 'get'>>>,
  ) => Promise<Success<Operation<P, 'get'>>>
  /** Reads something that a form will change: the change with its `etag` is refused if somebody else was first. */
  readonly tagged: <P extends PathsWith<'get'>>(
    path: P,
    options?: With<OwnParams<Operation<P, 'get'>>, 'query', QueryOf<Operation<P, 'get'>>>,
  ) => Promise<{ readonly value: Success<Operation<P, 'get'>>; readonly etag: string }>
  /**
   * Makes a change. What two submissions of one form change has one idempotency key, and so one effect; several changes by one form have
   * keys of their own.
   */
  readonly change: <M extends 'post' | 'put' | 'patch' | 'delete', P extends PathsWith<M>>(
    method: M,
    path: P,
    options?: With<OwnParams<Operation<P, M>>, 'body', BodyOf<Operation<P, M>>> & {
      /** Reason for the audit log, as somebody wrote it; a blank one is none. */
      readonly reason?: string | undefined
      readonly ifMatch?: string
    },
  ) => Promise<Success<Operation<P, M>>>
  /** Asks something that takes a body, and changes nothing. */
  readonly ask: <P extends Question>(
    path: P,
    options: With<
      OwnParams<Operation<P, 'post'>>,
      'body',
      BodyOf<Operation<P, 'post'>> & (P extends DryRun ? { readonly dry_run: true } : unknown)
    >,
  ) => Promise<Success<Operation<P, 'post'>>>
  /** Sends a request whose answer is not JSON, such as a file to download. */
  readonly text: <P extends PathsWith<'get'>>(
    path: P,
    options?: With<OwnParams<Operation<P, 'get'>>, 'query', QueryOf<Operation<P, 'get'>>> & {
      readonly accept?: string
    },
  ) => Promise<{ readonly text: string; readonly type: string }>
}

/** Headers by which the API knows where a request comes from; a page's call has those of the page's request. */
const passedOn = ['host', 'forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'user-agent']

interface Call {
  readonly method: Method
  readonly path: string
  readonly params: Readonly<Record<string, unknown>>
  readonly query?: object | undefined
  readonly body?: unknown
  readonly reason?: string | undefined
  readonly ifMatch?: string | undefined
  readonly accept?: string | undefined
  readonly isChange?: boolean
}

/** Returns the address of a call, each parameter escaped. */
function addressOf({ path, params, query }: Call): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    for (const one of [value].flat()) if (one !== undefined && one !== '') search.append(name, String(one))
  return search.size === 0 ? filled : `${filled}?${search}`
}

/** Returns the idempotency key of a change that a form makes: the form's own key does for one change only. */
const changeKey = (formKey: string, method: Method, address: string, payload: string) =>
  createHash('sha256').update([formKey, method, address, payload].join('\n')).digest('base64url')

interface ApiOptions {
  readonly orgId: string
  readonly csrfToken: string
  /** Key of the form that the request sends, if it sends one. */
  readonly formKey?: string | undefined
  /** Way to answers that others have just been given. */
  readonly share?: ShareRead | undefined
  /** Header by which the API knows whose request it is: a page has the cookie of its session, a program its key. */
  readonly credential?: 'cookie' | 'authorization'
  /** Cancels calls that are on their way. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Creates the API for the session of a request. Without a form, which was checked to be one of ours, nothing can be changed: a link of
 * another site leads to pages.
 */
export function createApi(
  app: App,
  request: FastifyRequest,
  { orgId, csrfToken, formKey, share = (_path, _address, read) => read(), credential = 'cookie', signal }: ApiOptions,
): PageApi {
  // Another cell has vouched for the address of its client: no header may say another.
  const passed = request.forwarded ? passedOn.filter((name) => !name.includes('forwarded')) : passedOn
  const inherited = Object.fromEntries(
    [...passed, credential].flatMap((name) =>
      request.headers[name] === undefined ? [] : [[name, request.headers[name]]],
    ),
  )

  async function send(call: Call) {
    const { method, body, ifMatch, accept } = call
    const reason = call.reason?.trim() ?? ''
    const url = addressOf(call)
    const payload = body === undefined ? '' : JSON.stringify(body)
    const answer = await app.inject({
      method: method.toUpperCase() as Uppercase<Method>,
      url,
      remoteAddress: request.forwarded?.clientAddress ?? request.socket.remoteAddress ?? '',
      headers: {
        ...inherited,
        traceparent: traceparentOf(request.raw),
        ...(accept !== undefined && { accept }),
        // The page has checked that its own form sent this: see `takesForms`.
        ...(method !== 'get' &&
          credential === 'cookie' && { 'sec-fetch-site': 'same-origin', [csrfHeader]: csrfToken }),
        ...(call.isChange && formKey && { 'idempotency-key': changeKey(formKey, method, url, payload) }),
        ...(reason !== '' && { [reasonHeader]: encodeURIComponent(reason.toWellFormed()) }),
        ...(ifMatch !== undefined && ifMatch !== '' && { 'if-match': ifMatch }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { payload }),
      ...(signal && { signal }),
    })
    if (answer.statusCode >= 400) throw new ApiFault(answer.statusCode, parsed(answer.body), request.id)
    return answer
  }

  const paramsOf = (path: unknown) => ({ ...recordIn(path), id: orgId })
  return {
    get: async (path, options) => {
      const call = { method: 'get', path, params: paramsOf(options?.path), query: options?.query } as const
      return parsed(await share(path, addressOf(call), async () => (await send(call)).body)) as never
    },
    tagged: async (path, options) => {
      const answer = await send({ method: 'get', path, params: paramsOf(options?.path), query: options?.query })
      return { value: parsed(answer.body) as never, etag: answer.headers.etag ?? '' }
    },
    change: async (method, path, options) => {
      if (formKey === undefined) throw new Error(`a page must not change anything: ${method} ${path}`)
      const call = { ...options, method, path, params: paramsOf(options?.path), isChange: true }
      return parsed((await send(call)).body) as never
    },
    ask: async (path, options) =>
      parsed((await send({ ...options, method: 'post', path, params: paramsOf(options.path) })).body) as never,
    text: async (path, options) => {
      const answer = await send({
        method: 'get',
        path,
        params: paramsOf(options?.path),
        query: options?.query,
        accept: options?.accept,
      })
      return { text: answer.body, type: String(answer.headers['content-type']) }
    },
  }
}

const parsed = (text: string): unknown => {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
