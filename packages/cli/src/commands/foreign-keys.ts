import type { Command } from 'commander'
import { Fault } from '../faults.ts'
import { shortTime } from '../output/amounts.ts'
import { cleanLine } from '../output/clean.ts'
import { orgPath } from '../session/session.ts'
import { textOf } from '../values.ts'
import { action, type Context } from './context.ts'

export function addForeignKeyCommands(program: Command) {
  const keys = program
    .command('foreign-keys')
    .description('keys of another gateway that stand for keys of Weir for a while')
  action(
    keys
      .command('list')
      .description('list them, with who still uses one')
      .option('--used-days <days>', 'only those that were used in the last days')
      .option('--status <status>', 'only active, contested, expired, ended or revoked ones'),
    list,
  )
  action(
    keys
      .command('end')
      .description('end one before its time; the key that it stands for lives on')
      .argument('<foreign-key>', 'its id')
      .option('--yes', 'do not ask'),
    end,
  )
}

const dayMs = 86_400_000

async function list(
  { terminal, isJson, session }: Context,
  { usedDays, status }: { usedDays?: string; status?: string },
) {
  if (usedDays !== undefined && !/^\d{1,4}$/.test(usedDays))
    throw new Fault('usage', `"${usedDays}" is no number of days`)
  const used_since = usedDays === undefined ? undefined : new Date(Date.now() - Number(usedDays) * dayMs).toISOString()
  const opened = await session()
  const rows = await opened.client.all(`${orgPath(opened)}/foreign-keys`, { status, used_since })
  if (isJson) return terminal.json(rows)
  terminal.table(
    ['ID', 'NAME', 'KEY', 'STATUS', 'USES', 'LAST USED', 'ENDS'].map((title) => ({ title })),
    rows.map((row) => [
      textOf(row, 'id'),
      textOf(row, 'name'),
      textOf(row, 'key_id'),
      { text: textOf(row, 'status'), tone: textOf(row, 'status') === 'active' ? 'good' : 'quiet' },
      textOf(row, 'uses'),
      row['last_used_at'] === null ? 'never' : shortTime(row['last_used_at']),
      shortTime(row['ends_at']),
    ]),
  )
}

async function end({ terminal, isJson, session, confirm }: Context, options: { yes?: boolean }, id = '') {
  const opened = await session()
  const path = `${orgPath(opened)}/foreign-keys/${encodeURIComponent(id)}`
  const found = await opened.client.get(path)
  if (options.yes !== true && !(await confirm(`End the old key of ${cleanLine(textOf(found, 'name'))}?`)))
    throw new Fault('usage', 'nothing was ended', 'Confirm it, or add --yes.')
  const { json } = await opened.client.send('POST', `${path}/end`, { body: {} })
  if (isJson) return terminal.json(json)
  terminal.print(`The old key of ${cleanLine(textOf(found, 'name'))} has ended.`)
}
