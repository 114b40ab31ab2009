import type { Readable } from 'node:stream'
import { type TSchema, Type } from 'typebox'
import { ListOf, ListQuery, NextCursor, windowFilters } from '../../contract/lists.ts'
import { checkOf, withCheck } from '../../contract/semantic-check.ts'
import { exampleId, Id, Nullable, OneOf } from '../../contract/wire.ts'
import { idPattern, prefixes } from '../../values/id.ts'
import { present } from '../../values/present.ts'
import { chainFaults } from './chain.ts'
import { formatNames } from './formats.ts'
import { parseAuditPosition } from './position.ts'

const Anything = (description: string, example: unknown) => Type.Unsafe<unknown>({ description, examples: [example] })

const Time = Type.String({
  description: 'ISO-8601 timestamp with a numeric offset, to the millisecond.',
  examples: ['2026-11-15T09:30:00.123+00:00'],
})

const Seq = Type.String({
  description: "Sequence number in the organization's chain, from 1, without gaps.",
  examples: ['42'],
})

export const AuditLogEntry = Type.Object(
  {
    id: Id('audit'),
    seq: Seq,
    created_at: Time,
    actor: Type.Object({
      kind: OneOf(['key', 'support', 'person', 'directory', 'system']),
      id: Type.String({
        description: 'The key, the support grant, the member, or the token of a directory.',
        examples: [exampleId('key')],
      }),
      role: Type.String({ examples: ['admin'] }),
      email: Type.Optional(
        Type.String({ description: 'The address of a person, as it was then.', examples: ['ada@acme.example'] }),
      ),
      connection_id: Type.Optional(
        Type.String({
          description: 'The connection to an identity provider through which a person signed in.',
          examples: [exampleId('connection')],
        }),
      ),
      operator_key_id: Type.Optional(Type.String({ description: "The operator's own key behind a support grant." })),
      session_id: Type.Optional(Type.String({ description: 'The session of a browser through which it acted.' })),
      slack_user_id: Type.Optional(
        Type.String({
          description: 'The Slack user through whom a member acted, in place of a session.',
          examples: ['U0123456789'],
        }),
      ),
    }),
    action: Type.String({ description: 'The action, or for a denied attempt the route.', examples: ['key.created'] }),
    target: Type.Object({
      kind: Type.String({ examples: ['key'] }),
      id: Type.String({ examples: [exampleId('key')] }),
    }),
    outcome: OneOf(['allowed', 'denied']),
    before: Anything('The target before the change; null if there was none.', null),
    after: Anything('The target after the change; null if there is none.', { name: 'checkout agent' }),
    address: Nullable(Type.String({ description: "The caller's address.", examples: ['203.0.113.7'] })),
    trace_id: Type.String({ description: '`x-svc-trace-id` of the request.' }),
    count: Type.Integer({ description: 'Number of attempts that the entry stands for.' }),
    reason: Nullable(
      Type.String({
        description: 'The reason that the caller gave in `X-Svc-Reason`.',
        examples: ['Two more customers in the pilot, agreed with Ada.'],
      }),
    ),
  },
  { title: 'AuditLogEntry' },
)

export const AuditLog = ListOf(AuditLogEntry)

const actors = (['key', 'grant', 'member', 'scimToken'] as const).map((kind) => new RegExp(idPattern(kind)))

const query = ListQuery(
  { created_at: 'time' },
  {
    action: Type.String({ minLength: 1, maxLength: 200, description: 'Only this action.', examples: ['key.created'] }),
    actor_id: Type.String({
      maxLength: 40,
      description: `Only actions of this key (\`${prefixes.key}_…\`), support grant (\`${prefixes.grant}_…\`), member (\`${prefixes.member}_…\`) or token of a directory (\`${prefixes.scimToken}_…\`).`,
    }),
    target_id: Type.String({ minLength: 1, maxLength: 255, description: 'Only actions on this target.' }),
    outcome: Type.Enum(['allowed', 'denied'], { description: 'Only entries with this outcome.' }),
    ...windowFilters,
  },
  'integer',
  'oldest first',
)

/** Window check shared with the export. */
const windowFaults = present(checkOf(query))

// Not a pattern in the schema: clients of a released one would refuse the ids of members.
export const AuditLogQuery = withCheck(query, ({ actor_id, ...window }: { actor_id?: string }) => [
  ...windowFaults(window),
  ...(actor_id === undefined || actors.some((pattern) => pattern.test(actor_id))
    ? []
    : [
        {
          field: 'actor_id',
          code: 'invalid_filter' as const,
          message: 'Must be the id of a key, a grant, a member or a token of a directory.',
        },
      ]),
])

const Cursor = (description: string) => Type.String({ minLength: 1, maxLength: 400, description })

const withCursor = <S extends TSchema>(schema: S, use: string) =>
  withCheck(schema, ({ cursor, from, to }: { cursor?: string; from?: string; to?: string }) => [
    ...(cursor === undefined || parseAuditPosition(cursor)
      ? []
      : [{ field: 'cursor', code: 'invalid_value' as const, message: use }]),
    ...windowFaults({ from, to }),
  ])

export const AuditExportQuery = withCursor(
  Type.Object(
    {
      from: Type.Optional({ ...windowFilters.from, 'x-filter': true }),
      to: Type.Optional({ ...windowFilters.to, 'x-filter': true }),
      format: Type.Optional(
        Type.Enum([...formatNames], { default: 'ndjson', description: 'Format of the entries.', 'x-filter': true }),
      ),
      cursor: Type.Optional(Cursor('Resume after the line with this cursor, in the same window.')),
    },
    { 'x-filter': true },
  ),
  'Must be the cursor of a line of an export.',
)

const exportExamples = {
  'application/x-ndjson': '{"id":"aud_…","seq":"42","action":"key.created","outcome":"allowed",…,"cursor":"…"}\n',
  'text/csv': 'id,org_id,seq,created_at,…\naud_…,org_…,42,2026-11-15T09:30:00.123456+00:00,…\n',
  'text/plain': 'CEF:0|Weir|Weir|0.1.0|key.created|key.created|3|rt=1794734400000 externalId=aud_… act=key.created …\n',
}

/** Schema of an export; it is streamed, so this only documents it. */
export const AuditExport = Type.Unsafe<Readable | string>({
  description: 'The entries of the window in chronological order, one per line.',
  content: Object.fromEntries(
    Object.entries(exportExamples).map(([type, example]) => [type, { schema: Type.String({ examples: [example] }) }]),
  ),
})

export const AuditVerifyQuery = withCursor(
  Type.Object({ cursor: Type.Optional(Cursor('`next_cursor` of the verification to resume.')) }),
  'Must be the next_cursor of a verification.',
)

export const AuditVerification = Type.Object(
  {
    entries: Type.Integer({ description: 'Number of entries that were verified.' }),
    first_seq: Nullable(Type.String({ description: 'Sequence number of the first of them.', examples: ['1'] })),
    head: Nullable(
      Type.Object(
        { seq: Seq, mac: Type.String({ description: "The entry's seal in hexadecimal." }) },
        {
          description: 'The last sound entry. Keep it: no honest chain will ever contradict it.',
        },
      ),
    ),
    valid: Type.Boolean({ description: 'True when no fault was found.' }),
    first_bad: Type.Optional(
      Type.Object({
        seq: Seq,
        reason: Type.String({
          description: Object.entries(chainFaults)
            .map(([reason, meaning]) => `\`${reason}\`: ${meaning}`)
            .join(' '),
          examples: ['bad_seal'],
        }),
      }),
    ),
    next_cursor: NextCursor('A long chain takes several calls: pass it as `cursor` to continue; null at the end.'),
  },
  { title: 'AuditVerification', description: 'The state of the chain of entries.' },
)
