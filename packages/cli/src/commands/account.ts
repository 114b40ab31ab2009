import type { Command } from 'commander'
import { Client } from '../api/client.ts'
import { Fault } from '../faults.ts'
import { usd } from '../output/amounts.ts'
import { cleanLine } from '../output/clean.ts'
import { profilesPath, readProfiles, requireProfileName, writeProfiles } from '../session/profiles.ts'
import { type Me, orgPath, requireKey, requireUrl, type Session } from '../session/session.ts'
import { isRecord, type Json, recordsOf, textOf } from '../values.ts'
import { action, type Context, isInTheOpen } from './context.ts'

export function addAccountCommands(program: Command) {
  action(
    program
      .command('login')
      .description('sign in: reads a key from standard input, or asks for it, and keeps it for later commands')
      .addHelpText('after', '\nA key is never an argument: other users of the machine see arguments.\n'),
    login,
  )
  action(program.command('logout').description('forget the key of a profile'), logout)
  action(program.command('status').description('show who you are, what you may do, and what is left'), status)
}

async function login({ terminal, env, options, isJson, readSecret }: Context) {
  const path = profilesPath(env)
  const { current, profiles } = readProfiles(path)
  const name = requireProfileName(options.profile ?? env['WEIR_PROFILE'] ?? current)
  const address = options.url ?? env['WEIR_BASE_URL'] ?? profiles.get(name)?.url
  if (address === undefined) throw new Fault('usage', 'which server?', 'Run: weir login --url https://weir.example.com')
  const url = requireUrl(address)
  if (isInTheOpen(url)) terminal.note(`weir: ${url} is not encrypted: whoever is on the way reads your key`)
  const key = requireKey(await readSecret(`Key for ${url}`))
  const me = await new Client({ url, key }).get<Me>('/v1/me')
  writeProfiles(path, { current: name, profiles: new Map([...profiles, [name, { url, key }]]) })
  if (isJson) return terminal.json({ profile: name, url, key_id: me.id, org_id: me.org_id, role: me.role })
  terminal.print(`Signed in at ${url} as ${me.role} (${cleanLine(me.id)}). Profile ${name} is kept in ${path}.`)
}

function logout({ terminal, env, options, isJson }: Context) {
  const path = profilesPath(env)
  const { current, profiles } = readProfiles(path)
  const name = requireProfileName(options.profile ?? env['WEIR_PROFILE'] ?? current)
  const rest = new Map([...profiles].filter(([other]) => other !== name))
  if (rest.size === profiles.size) throw new Fault('usage', `there is no profile "${name}"`)
  writeProfiles(path, { current: current === name ? ([...rest.keys()][0] ?? 'default') : current, profiles: rest })
  if (isJson) return terminal.json({ profile: name })
  terminal.print(`The key of profile ${name} is forgotten here. It still works: \`weir keys revoke\` ends it.`)
}

async function status({ terminal, isJson, session }: Context) {
  const opened = await session()
  const { client, me, source } = opened
  const [health, limits, org] = await Promise.all([
    client.probe('/healthz'),
    opened.orgId === undefined ? undefined : client.get('/v1/me/limits'),
    ownOrganization(opened),
  ])
  const version = textOf(health?.json, 'version')
  if (isJson) return terminal.json({ url: client.url, version, key_from: source, me, organization: org, limits })
  const lines: [string, string][] = [
    ['server', `${client.url}${version === '' ? '' : `, version ${version}`}`],
    [
      'organization',
      org ? `${textOf(org, 'name')} (${textOf(org, 'id')}), ${textOf(org, 'status')}` : (me.org_id ?? 'none'),
    ],
    ['signed in as', `${me.role}, ${me.id}, from ${source}`],
    ['scopes', me.scopes.join(' ')],
    [
      'pins',
      Object.entries(me.pins)
        .map(([name, value]) => `${name}=${value}`)
        .join(' ') || 'none',
    ],
    ['ends', me.expires_at ?? 'never'],
  ]
  for (const [name, text] of lines) terminal.print(`${terminal.paint(name.padEnd(13), 'quiet')} ${cleanLine(text)}`)
  if (isRecord(limits)) printLimits(terminal, limits)
}

/** Returns the organization, where the key may read it. */
async function ownOrganization(session: Session): Promise<Json | undefined> {
  if (session.orgId === undefined) return undefined
  const { status, json } = await session.client.send('GET', orgPath(session), { accepts: [403] })
  return status === 200 && isRecord(json) ? json : undefined
}

function printLimits(terminal: Context['terminal'], limits: Json) {
  const rows = recordsOf(limits['data'])
  if (isRecord(limits['frozen']))
    terminal.print(terminal.paint(`Frozen: ${cleanLine(textOf(limits['frozen'], 'reason'))}`, 'bad'))
  if (rows.length === 0) return
  terminal.print()
  terminal.table(
    [{ title: 'LIMIT' }, { title: 'SCOPE' }, { title: 'LIMIT', align: 'right' }, { title: 'LEFT', align: 'right' }],
    rows.map((row) => [
      textOf(row, 'kind'),
      [textOf(row, 'scope_kind'), textOf(row, 'scope_id')].filter(Boolean).join(' '),
      amount(row, 'limit'),
      amount(row, 'remaining'),
    ]),
  )
}

const amount = (row: Json, field: string) => (row['unit'] === 'usd' ? usd(row[field]) : textOf(row, field))
