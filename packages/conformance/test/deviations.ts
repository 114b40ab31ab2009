import type { Alteration, AlteredAnswer } from './altering-proxy.ts'

/** A fault of a server, and the clause that it breaks. */
export interface Plant {
  readonly fault: string
  readonly clause: number
  readonly alter: Alteration
}

interface ErrorBody {
  code: string
  message: string
  details: Record<string, unknown>
}

const errorOf = ({ json }: AlteredAnswer) => (json as { error?: ErrorBody } | undefined)?.error

/** Changes answers with this error code. */
const on =
  (code: string, change: (answer: AlteredAnswer, error: ErrorBody) => void): Alteration =>
  (answer) => {
    const error = errorOf(answer)
    if (error?.code === code) change(answer, error)
  }

/** Changes served answers of this path. */
const at =
  (path: RegExp, change: (answer: AlteredAnswer) => void): Alteration =>
  (answer, asked) => {
    if (path.test(asked.path) && answer.status < 300) change(answer)
  }

const deprecations = /^\/v1\/meta\/deprecations/
const rows = (answer: AlteredAnswer) => answer.json as Record<string, unknown>[]

export const plants: readonly Plant[] = [
  {
    fault: 'a field beside "error"',
    clause: 3,
    alter: on('unauthorized', (answer) => Object.assign(answer.json as object, { request_id: '1' })),
  },
  {
    fault: 'a status that its code does not have',
    clause: 4,
    alter: on('conflict', (answer) => {
      answer.status = 400
    }),
  },
  {
    fault: 'a code in camel case',
    clause: 7,
    alter: on('not_found', (_answer, error) => {
      error.code = 'notFound'
    }),
  },
  {
    fault: 'a published code that was renamed',
    clause: 8,
    alter: at(/^\/v1\/meta\/errors/, (answer) => {
      for (const row of (answer.json as { data: { code: string }[] }).data)
        if (row.code === 'credits_exhausted') row.code = 'credit_exhausted'
    }),
  },
  {
    fault: 'details that are null where there is no context',
    clause: 10,
    alter: on('forbidden', (_answer, error) => {
      Object.assign(error, { details: null })
    }),
  },
  {
    fault: 'details that repeat the trace id',
    clause: 11,
    alter: on('not_found', (answer, error) => {
      error.details['trace_id'] = answer.headers['x-svc-trace-id']
    }),
  },
  {
    fault: 'field codes of another vocabulary',
    clause: 14,
    alter: on('validation_failed', (_answer, error) => {
      for (const fault of error.details['fields'] as { code: string }[])
        if (fault.code === 'invalid_json') fault.code = 'malformed'
    }),
  },
  {
    fault: 'a sunset in ISO 8601',
    clause: 19,
    alter: at(deprecations, (answer) => {
      for (const row of rows(answer)) row['sunset'] = new Date(String(row['sunset'])).toISOString()
    }),
  },
  {
    fault: 'a listing in an object',
    clause: 22,
    alter: at(deprecations, (answer) => {
      answer.json = { data: answer.json, next_cursor: null }
    }),
  },
  {
    fault: 'a listing that lacks a route',
    clause: 23,
    alter: at(deprecations, (answer) => {
      answer.json = rows(answer).slice(0, -1)
    }),
  },
  {
    fault: 'a denial at the edge with 403',
    clause: 27,
    alter: on('budget_exceeded', (answer) => {
      answer.status = 403
    }),
  },
  {
    fault: 'an unknown sort that is ignored',
    clause: 32,
    alter: on('validation_failed', (answer, error) => {
      if (JSON.stringify(error.details).includes('unknown_sort_field'))
        Object.assign(answer, { status: 200, json: { data: [], next_cursor: null } })
    }),
  },
  {
    fault: '405 for a method that a path does not have',
    clause: 34,
    alter: (answer, { method }) => {
      if (method === 'PATCH' && answer.status === 404) answer.status = 405
    },
  },
  {
    fault: 'a missing scope that is not named',
    clause: 49,
    alter: on('missing_scope', (_answer, error) => {
      error.details = {}
    }),
  },
  {
    fault: '401 for a suspended organization',
    clause: 52,
    alter: on('org_suspended', (answer) => {
      answer.status = 401
    }),
  },
  {
    fault: 'a revoked session that looks like a cookie that never was',
    clause: 55,
    alter: on('session_revoked', (_answer, error) => {
      error.code = 'unauthorized'
    }),
  },
  {
    fault: 'a stale cookie that is left where it is',
    clause: 56,
    alter: on('session_revoked', ({ headers }) => {
      delete headers['set-cookie']
    }),
  },
  {
    fault: 'a page of the console that is deprecated',
    clause: 163,
    alter: ({ headers }, { path }) => {
      if (path.startsWith('/console')) headers['sunset'] = 'Wed, 31 Dec 2036 23:59:59 GMT'
    },
  },
  {
    fault: 'unauthorized for a revoked key',
    clause: 53,
    alter: on('gone', (answer, error) => {
      answer.status = 401
      error.code = 'unauthorized'
    }),
  },
  {
    fault: '403 for what belongs to another tenant',
    clause: 54,
    alter: on('not_found', (answer, error) => {
      answer.status = 403
      error.code = 'forbidden'
    }),
  },
  {
    fault: 'a message that tells what exists from what does not',
    clause: 54,
    alter: (answer, { path }) => {
      const error = errorOf(answer)
      if (error?.code === 'not_found' && !path.includes('_00000000000000000000000000'))
        error.message += ' Or not yours.'
    },
  },
  {
    fault: 'a denied support request without its method',
    clause: 58,
    alter: on('support_scope_denied', (_answer, error) => {
      delete error.details['method']
    }),
  },
  {
    fault: 'an audit log without what was denied',
    clause: 60,
    alter: at(/\/audit-log\?/, (answer) => {
      const list = answer.json as { data: { outcome: string }[] }
      list.data = list.data.filter(({ outcome }) => outcome === 'allowed')
    }),
  },
  {
    fault: 'a webhook secret that signs nothing',
    clause: 64,
    alter: at(/\/webhook-secret$/, (answer) => {
      Object.assign(answer.json as object, { secret: 'another secret altogether' })
    }),
  },
  {
    fault: 'rate_limited without Retry-After',
    clause: 74,
    alter: on('rate_limited', (answer) => {
      delete answer.headers['retry-after']
    }),
  },
  {
    fault: 'Retry-After that differs from the details',
    clause: 75,
    alter: on('rate_limited', (answer) => {
      answer.headers['retry-after'] = String(Number(answer.headers['retry-after']) + 1)
    }),
  },
  {
    fault: 'no trace id on refusals',
    clause: 76,
    alter: (answer) => {
      if (answer.status === 401) delete answer.headers['x-svc-trace-id']
    },
  },
  {
    fault: 'the first fault only',
    clause: 77,
    alter: on('validation_failed', (_answer, error) => {
      error.details['fields'] = (error.details['fields'] as unknown[]).slice(0, 1)
    }),
  },
  {
    fault: 'a replay with other bytes',
    clause: 79,
    alter: (answer) => {
      if (answer.headers['idempotent-replayed'] !== undefined) Object.assign(answer.json as object, { replayed: true })
    },
  },
  {
    fault: '400 for faulty fields',
    clause: 106,
    alter: on('validation_failed', (answer) => {
      answer.status = 400
    }),
  },
  {
    fault: 'money as numbers',
    clause: 124,
    alter: on('spend_cap_exceeded', (_answer, error) => {
      error.details['cap_usd'] = Number(error.details['cap_usd'])
    }),
  },
  {
    fault: 'a time with Z instead of an offset',
    clause: 125,
    alter: on('spend_cap_exceeded', (_answer, error) => {
      error.details['resets_at'] = String(error.details['resets_at']).replace('+00:00', 'Z')
    }),
  },
  {
    fault: 'another scope than the one that refused',
    clause: 128,
    alter: on('budget_exceeded', (_answer, error) => {
      error.details['scope_kind'] = 'org'
    }),
  },
  {
    fault: 'Deprecation as an HTTP date',
    clause: 149,
    alter: (answer) => {
      if (answer.headers['deprecation']) answer.headers['deprecation'] = 'Wed, 22 Jul 2026 00:00:00 GMT'
    },
  },
  {
    fault: 'Link without the successor',
    clause: 151,
    alter: (answer) => {
      if (answer.headers['link']) answer.headers['link'] = answer.headers['link'].split(', ')[0]!
    },
  },
  {
    fault: 'refusals of a deprecated route without its headers',
    clause: 152,
    alter: (answer) => {
      if (answer.status === 422) delete answer.headers['sunset']
    },
  },
  {
    fault: 'a deprecated operation that OpenAPI does not flag',
    clause: 153,
    alter: at(/^\/v1\/openapi\.json/, (answer) => {
      delete (answer.json as { paths: Record<string, Record<string, { deprecated?: true }>> }).paths['/v1/forecast']![
        'get'
      ]!.deprecated
    }),
  },
  {
    fault: 'a counter by path instead of template',
    clause: 155,
    alter: at(/^\/metrics/, (answer) => {
      answer.text = answer.text.replaceAll('/v1/admin/orgs/{org_id}/', '/v1/admin/orgs/org_1/')
    }),
  },
]
