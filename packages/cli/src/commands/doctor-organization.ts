import type { components } from '../api/api-types.ts'
import { countOf } from '../output/amounts.ts'
import { orgPath, type Session } from '../session/session.ts'
import { recordsOf, textOf } from '../values.ts'
import type { Check, Finding } from './doctor-installation.ts'

type Schemas = components['schemas']

const dayMs = 24 * 60 * 60 * 1_000
const few = (names: readonly string[]) =>
  names.slice(0, 5).join(', ') + (names.length > 5 ? ` and ${names.length - 5} more` : '')
const ok = (check: string, message: string): Finding[] => [{ check, level: 'ok', message }]

/** Checks of what the key may see: an operator's key sees the processes, any other its organization. */
export const organizationChecks = (session: Session): Check[] =>
  session.orgId === undefined
    ? [
        ['key', () => ownKey(session)],
        ['processes', () => processes(session)],
      ]
    : [
        ['key', () => ownKey(session)],
        ['freezes', () => freezes(session)],
        ['spend', () => spend(session)],
        ['alerts', () => alerts(session)],
        ['webhooks', () => webhooks(session)],
        ['prices', () => prices(session)],
        ['keys', () => keys(session)],
        ['reporting', () => reporting(session)],
        ['deprecations', () => deprecations(session)],
      ]

function ownKey({ me, source }: Session): Promise<Finding[]> {
  const left = me.expires_at === null ? undefined : Date.parse(me.expires_at) - Date.now()
  if (left !== undefined && left < 14 * dayMs)
    return Promise.resolve([
      {
        check: 'key',
        level: 'warning',
        message: `your key ends on ${me.expires_at ?? ''}`,
        hint: 'Rotate it: weir keys rotate',
      },
    ])
  return Promise.resolve(ok('key', `${me.role}, from ${source}`))
}

async function processes({ client }: Session): Promise<Finding[]> {
  const { data } = await client.get<Schemas['NodeList']>('/v1/admin/nodes')
  const live = data.filter(({ status }) => status === 'live' || status === 'active' || status === 'running')
  const versions = [...new Set((live.length > 0 ? live : data).map(({ version }) => version))]
  if (versions.length > 1)
    return [{ check: 'processes', level: 'warning', message: `they are of several versions: ${few(versions)}` }]
  const roles = new Set(data.map(({ role }) => role))
  if (!roles.has('worker'))
    return [
      {
        check: 'processes',
        level: 'problem',
        message: 'no worker runs: no webhook is sent, no lease ends',
        hint: 'Start one.',
      },
    ]
  return ok('processes', `${data.length} of version ${versions.join(', ')}`)
}

async function freezes(session: Session): Promise<Finding[]> {
  const { data } = await session.client.get<Schemas['FreezeList']>(`${orgPath(session)}/freezes`)
  if (data.length === 0) return ok('freezes', 'nothing is frozen')
  return data.map(({ target_kind, target_id, reason }) => ({
    check: 'freezes',
    level: 'warning',
    message: `${target_kind} ${target_id} is frozen: ${reason}`,
  }))
}

async function spend(session: Session): Promise<Finding[]> {
  const cap = await session.client.get(`${orgPath(session)}/spend-cap`)
  const budgets = await session.client.all<Schemas['Budget']>(`${orgPath(session)}/budgets`)
  const isBounded =
    cap['cap_usd'] !== null ||
    budgets.some(
      ({ scope_kind, limit_usd, enforcement }) => scope_kind === 'org' && limit_usd !== null && enforcement === 'block',
    )
  const findings: Finding[] = isBounded
    ? ok('spend', 'the organization as a whole has a limit')
    : [
        {
          check: 'spend',
          level: 'warning',
          message: 'the organization as a whole has no limit',
          hint: 'Set a spend cap, or a budget of the scope org.',
        },
      ]
  const full = budgets.filter(({ exhausted_at }) => exhausted_at !== null).map(({ name }) => name)
  if (full.length > 0)
    findings.push({ check: 'spend', level: 'warning', message: `budgets that refuse calls now: ${few(full)}` })
  return findings
}

/** A limit that nobody hears of stops somebody's work by surprise. */
async function alerts(session: Session): Promise<Finding[]> {
  const org = orgPath(session)
  const budgets = await session.client.all<Schemas['Budget']>(`${org}/budgets`)
  const silent = budgets
    .filter(({ thresholds, limit_usd }) => limit_usd !== null && thresholds.length === 0)
    .map(({ name }) => name)
  const hooks = (await session.client.all<Schemas['Subscription']>(`${org}/webhooks`)).filter(({ enabled }) => enabled)
  const isHeard = hooks.some(
    ({ events }) => events.length === 0 || events.some((type) => type.includes('threshold_crossed')),
  )
  return [
    ...(silent.length === 0
      ? []
      : [
          {
            check: 'alerts',
            level: 'warning' as const,
            message: `budgets without a threshold: ${few(silent)}`,
            hint: 'Add "thresholds": [80].',
          },
        ]),
    ...(budgets.length === 0 || isHeard
      ? ok('alerts', isHeard ? 'a webhook hears of thresholds' : 'there are no budgets')
      : [
          {
            check: 'alerts',
            level: 'warning' as const,
            message: 'no webhook hears that a threshold is crossed',
            hint: 'Subscribe to budget.threshold_crossed.',
          },
        ]),
  ]
}

async function webhooks(session: Session): Promise<Finding[]> {
  const all = await session.client.all<Schemas['Subscription']>(`${orgPath(session)}/webhooks`)
  const findings = all.flatMap(({ id, url, enabled, disabled_reason, health, signing_version }): Finding[] => {
    const where = `${id} (${url})`
    return [
      ...(!enabled && disabled_reason !== null
        ? [{ check: 'webhooks', level: 'problem' as const, message: `${where} is disabled: ${disabled_reason}` }]
        : []),
      ...(enabled && health.consecutive_failures > 0
        ? [
            {
              check: 'webhooks',
              level: 'problem' as const,
              message: `${where} has failed ${health.consecutive_failures} times in a row, since ${health.failing_since ?? '?'}`,
              hint: `${health.pending} deliveries wait.`,
            },
          ]
        : []),
      ...(signing_version === 1
        ? [
            {
              check: 'webhooks',
              level: 'warning' as const,
              message: `${where} is signed with the deprecated secret of the organization`,
              hint: 'Give it a secret of its own: POST …/signing/rotate',
            },
          ]
        : []),
    ]
  })
  return findings.length > 0 ? findings : ok('webhooks', all.length === 0 ? 'there are none' : 'all are delivered')
}

async function prices(session: Session): Promise<Finding[]> {
  const found = await session.client.get<Schemas['Prices']>(`${orgPath(session)}/prices`)
  const names = found.unpriced_models.map(({ model, provider }) => [provider, model].filter(Boolean).join('/'))
  if (names.length === 0) return ok('prices', 'every model that was called has a price')
  return [
    {
      check: 'prices',
      level: 'warning',
      message: `models without a price (${found.unpriced}): ${few(names)}`,
      hint: 'Set prices: weir prices import, or prices in weir.yaml.',
    },
  ]
}

async function keys(session: Session): Promise<Finding[]> {
  const all = await session.client.all<Schemas['Key']>(`${orgPath(session)}/keys`, { status: 'active' })
  const endless = all.filter(({ expires_at }) => expires_at === null).map(({ name }) => name)
  const idle = all.filter(
    ({ last_used_at, created_at }) => Date.now() - Date.parse(last_used_at ?? created_at) > 90 * dayMs,
  )
  const ending = all.filter(
    ({ expires_at, rotated_to }) =>
      expires_at !== null && rotated_to === null && Date.parse(expires_at) - Date.now() < 14 * dayMs,
  )
  const findings: Finding[] = [
    ...warningsOf(endless, 'without an end'),
    ...warningsOf(
      idle.map(({ name }) => name),
      'unused for 90 days',
    ),
    ...warningsOf(
      ending.map(({ name }) => name),
      'with an end within 14 days',
    ),
  ]
  return findings.length > 0 ? findings : ok('keys', `${all.length} active`)
}

const warningsOf = (names: readonly string[], what: string): Finding[] =>
  names.length === 0
    ? []
    : [{ check: 'keys', level: 'warning', message: `${countOf(names.length, 'key')} ${what}: ${few(names)}` }]

async function reporting(session: Session): Promise<Finding[]> {
  const rows = recordsOf((await session.client.get(`${orgPath(session)}/key-reporting`))['data'])
  const silent = rows
    .filter((row) => Number(textOf(row['unreported'], 'runs')) > 0)
    .map((row) => textOf(row, 'name') || textOf(row, 'key_id'))
  if (silent.length === 0) return ok('reporting', 'keys end the runs that they start')
  return [
    {
      check: 'reporting',
      level: 'warning',
      message: `keys that leave runs unended, which are charged at what was held: ${few(silent)}`,
    },
  ]
}

async function deprecations(session: Session): Promise<Finding[]> {
  const rows = await session.client.all<Schemas['DeprecatedCalls']>(`${orgPath(session)}/deprecated-calls`)
  if (rows.length === 0) return ok('deprecations', 'nobody calls what is deprecated')
  return rows.map(({ method, route, name, caller_id, calls, sunset }) => ({
    check: 'deprecations',
    level: 'warning',
    message: `${name ?? caller_id} has called ${method} ${route} ${countOf(calls, 'time')}; it ends on ${sunset}`,
  }))
}
