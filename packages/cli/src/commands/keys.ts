import type { Command } from 'commander'
import type { components } from '../api/api-types.ts'
import { Fault } from '../faults.ts'
import { shortTime } from '../output/amounts.ts'
import { cleanLine } from '../output/clean.ts'
import { orgPath } from '../session/session.ts'
import { type Json, textOf } from '../values.ts'
import { action, type Context } from './context.ts'

type Key = components['schemas']['Key']

export function addKeyCommands(program: Command) {
  const keys = program.command('keys').description('list, create, rotate and revoke keys')
  action(
    keys
      .command('list')
      .description('list keys')
      .option('--status <status>', 'only active, pending, expired or revoked ones')
      .option('--role <role>', 'only those of a role'),
    list,
  )
  action(
    keys
      .command('create')
      .description('create a key; its secret is printed once, alone on standard output')
      .argument('<name>', 'its name')
      .requiredOption('--role <role>', 'owner, admin, member, viewer or service')
      .requiredOption('--scope <scope...>', 'what it may do, such as runs:write')
      .option('--pin <pin...>', 'a dimension that it is bound to, such as workflow_id=chat')
      .option('--expires-at <time>', 'when it ends, such as 2027-01-31T00:00:00Z'),
    create,
  )
  action(
    keys
      .command('rotate')
      .description('create the successor of a key; its secret is printed once, alone on standard output')
      .argument('<key>', 'its id')
      .option('--overlap <seconds>', 'for how long the old one still works', '0'),
    rotate,
  )
  action(
    keys
      .command('revoke')
      .description('revoke a key, at once and for good')
      .argument('<key>', 'its id')
      .option('--descendants', 'also every key that it has made')
      .option('--yes', 'do not ask'),
    revoke,
  )
}

async function list({ terminal, isJson, session }: Context, { status, role }: { status?: string; role?: string }) {
  const opened = await session()
  const rows = await opened.client.all<Key>(`${orgPath(opened)}/keys`, { status, role })
  if (isJson) return terminal.json(rows)
  terminal.table(
    ['ID', 'NAME', 'ROLE', 'STATUS', 'PINS', 'ENDS', 'LAST USED'].map((title) => ({ title })),
    rows.map((key) => [
      key.id,
      key.name,
      key.role,
      { text: key.status, tone: key.status === 'active' ? 'good' : 'quiet' },
      Object.entries(key.pins)
        .map(([name, value]) => `${name}=${value}`)
        .join(' '),
      key.expires_at === null ? { text: 'never', tone: 'warning' } : shortTime(key.expires_at),
      key.last_used_at === null ? 'never' : shortTime(key.last_used_at),
    ]),
  )
}

interface Creation {
  readonly role: string
  readonly scope: readonly string[]
  readonly pin?: readonly string[]
  readonly expiresAt?: string
}

async function create(context: Context, { role, scope, pin, expiresAt }: Creation, name = '') {
  const pins = Object.fromEntries((pin ?? []).map(pinOf))
  const body = {
    name,
    role,
    scopes: scope,
    ...(pin && { pins }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  }
  const opened = await context.session()
  const { json } = await opened.client.send('POST', `${orgPath(opened)}/keys`, { body })
  printSecret(context, json as Json)
}

function pinOf(text: string): [string, string] {
  const [, name, value] = /^([a-z_]+)=(.+)$/.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new Fault('usage', `"${text}" is no pin`, 'Write: --pin workflow_id=chat')
  return [name, value]
}

async function rotate(context: Context, { overlap }: { overlap: string }, id = '') {
  if (!/^\d+$/.test(overlap)) throw new Fault('usage', `"${overlap}" is no number of seconds`)
  const opened = await context.session()
  const path = `${orgPath(opened)}/keys/${encodeURIComponent(id)}/rotate`
  const { json } = await opened.client.send('POST', path, { body: { overlap_seconds: Number(overlap) } })
  printSecret(context, json as Json)
}

/** Prints a secret alone on standard output, so that it can be piped to where it belongs; the rest goes to standard error. */
function printSecret({ terminal, isJson }: Context, key: Json) {
  if (isJson) return terminal.json(key)
  terminal.note(`Key ${cleanLine(textOf(key, 'name'))} (${textOf(key, 'id')}) is made. This is its only showing:`)
  terminal.print(cleanLine(textOf(key, 'secret')))
}

async function revoke(
  { terminal, isJson, session, confirm }: Context,
  options: { descendants?: boolean; yes?: boolean },
  id = '',
) {
  const opened = await session()
  const path = `${orgPath(opened)}/keys/${encodeURIComponent(id)}`
  const key = await opened.client.get<Key>(path)
  if (options.yes !== true && !(await confirm(`Revoke ${cleanLine(key.name)} (${key.id}, ${key.role})?`)))
    throw new Fault('usage', 'nothing was revoked', 'Confirm it, or add --yes.')
  const body = { descendants: options.descendants === true }
  const { json } = await opened.client.send('POST', `${path}/revoke`, { body })
  if (isJson) return terminal.json(json)
  terminal.print(`${cleanLine(key.name)} (${key.id}) is revoked.`)
}
