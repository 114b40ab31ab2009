import { ensureAuditPartitions } from '../access/audit/audit.ts'
import type { Config } from '../config.ts'
import { CommandRefused } from '../platform/infra/command-refused.ts'
import type { Log } from '../platform/infra/log.ts'
import { openPlatform, type Platform } from '../platform/infra/platform.ts'
import { type CellLink, CellUnavailable, openCellLink } from '../regions/link/link.ts'
import {
  beginMove,
  ChangesOutrun,
  cancelMove,
  carryOutMove,
  listMoves,
  type MoveView,
  purgeMoved,
  SidesDiffer,
  StepRefused,
  TargetRefused,
} from '../regions/moves/moves.ts'
import { parseId } from '../values/id.ts'
import { errorOf } from '../values/thrown.ts'
import type { MoveArguments } from './move-arguments.ts'

const orgOf = (text: string) => {
  const id = parseId('org', text)
  if (id === undefined) throw new CommandRefused(`${text} is not the id of an organization.`)
  return id
}

/** Runs a command about moves, and prints its result. */
export async function runMoveCommand(config: Config, log: Log, args: MoveArguments) {
  if (args.action === 'purge') {
    if (!config.migrateDatabaseUrl)
      throw new CommandRefused(
        'SVC_MIGRATE_DATABASE_URL is required by orgs purge: the application removes no records.',
      )
    const { rows } = await purgeMoved(config.migrateDatabaseUrl.reveal(), orgOf(args.org), args.isForced)
    return print(args.isJson, { rows_removed: rows }, `${rows} rows are removed.`)
  }
  const platform = await openPlatform(config, 'orgs', log)
  try {
    if (args.action === 'list') {
      const moves = await listMoves(platform)
      return print(args.isJson, moves, moves.map(sentenceOf).join('\n') || 'No organization has moved.')
    }
    const link = openCellLink(platform)
    if (!link) throw new CommandRefused('This is the only cell: set SVC_CELLS to name others.')
    try {
      const view =
        args.action === 'cancel' ? await cancelMove(platform, link, orgOf(args.org)) : await move(platform, link, args)
      return print(args.isJson, view, sentenceOf(view))
    } finally {
      link.close()
    }
  } catch (error) {
    const isExplained = [SidesDiffer, ChangesOutrun, StepRefused, TargetRefused, CellUnavailable].some(
      (kind) => error instanceof kind,
    )
    throw isExplained ? new CommandRefused(explained(error), { cause: error }) : error
  } finally {
    await platform.close()
  }
}

async function move(
  platform: Platform,
  link: CellLink,
  { org, to, keepDays, isJson }: Extract<MoveArguments, { action: 'move' }>,
) {
  const id = orgOf(org)
  await ensureAuditPartitions(platform.sql, platform.clock.now())
  await beginMove(platform, link, id, to)
  const startedMs = performance.now()
  return carryOutMove(platform, link, id, {
    keepDays,
    onStep: (step) => {
      const seconds = Number(((performance.now() - startedMs) / 1_000).toFixed(3))
      console.error(isJson ? JSON.stringify({ step, seconds }) : `${seconds.toFixed(1).padStart(8)} s  ${step}`)
    },
  })
}

function explained(error: unknown): string {
  if (!(error instanceof SidesDiffer)) return errorOf(error).message
  const lines = error.tables.map(
    ({ table, source, target }) =>
      `\n  ${table}: ${source?.rows ?? 'no'} rows (${source?.digest ?? ''}) here, ${target?.rows ?? 'no'} (${target?.digest ?? ''}) there`,
  )
  return error.message + lines.join('')
}

const sentenceOf = ({ org_id, direction, cell, state, rows_copied, frozen_seconds }: MoveView) =>
  `${org_id} ${direction === 'out' ? `to ${cell}` : `from ${cell}`}: ${state}${rows_copied > 0 ? `, ${rows_copied} rows copied` : ''}${frozen_seconds === null ? '' : `, closed for ${frozen_seconds} s`}`

function print(isJson: boolean, value: unknown, text: string) {
  console.log(isJson ? JSON.stringify(value) : text)
}
