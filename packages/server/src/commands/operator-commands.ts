import { ensureAuditPartitions } from '../access/audit/audit.ts'
import type { Config } from '../config.ts'
import { ApiError } from '../contract/errors.ts'
import { CommandRefused } from '../platform/infra/command-refused.ts'
import type { Log } from '../platform/infra/log.ts'
import { openPlatform, type Platform } from '../platform/infra/platform.ts'
import { keyView, listKeys } from '../tenants/keys/keys.ts'
import {
  machineHolder,
  mintOperatorKey,
  revokeOperatorKey,
  rotateOperatorKey,
  runAsCommand,
  setOperatorAddresses,
} from '../tenants/operators/operators.ts'
import { closeGrants } from '../tenants/support/support.ts'
import { operatorsOrgId, parseId } from '../values/id.ts'
import { endSubscriptionsOfGrant } from '../webhooks/webhooks.ts'

/** Commands for operators' keys: they create the first one, and replace those that were lost. */

interface Flags {
  readonly 'expires-at'?: string
  readonly 'overlap-seconds'?: string
  readonly force?: boolean
  readonly descendants?: boolean
}

type CommandHandler = (platform: Platform, argument: string, flags: Flags) => Promise<unknown>

const parseKeyId = (text: string) => {
  const id = parseId('key', text)
  if (id === undefined) throw new CommandRefused(`${text} is not the id of a key.`)
  return id
}

const commands = {
  'create-operator-key': async (platform, name, { 'expires-at': expiresAt }) => {
    if (expiresAt !== undefined && Number.isNaN(Date.parse(expiresAt)))
      throw new CommandRefused(`${expiresAt} is not a time. Write it as 2027-01-01T00:00:00Z.`)
    const request = { name, ...(expiresAt !== undefined && { expires_at: expiresAt }) }
    const minted = await runAsCommand(platform, 'create-operator-key', (tools) =>
      mintOperatorKey(platform, tools, machineHolder, request),
    )
    return { id: minted.id, name: minted.name, expires_at: minted.expires_at, key: minted.secret }
  },
  'list-operator-keys': async ({ sql, clock }) => {
    const now = clock.now()
    const request = { sort: 'created_at', descending: false, after: undefined, limit: maxListed } as const
    const rows = await sql.asOrgs([operatorsOrgId], (tx) => listKeys(tx, operatorsOrgId, request, {}, now))
    return rows.map((row) => keyView(row, now))
  },
  'rotate-operator-key': async (platform, id, { 'overlap-seconds': overlap = '0' }) => {
    if (!/^\d{1,7}$/.test(overlap)) throw new CommandRefused(`${overlap} is not a number of seconds.`)
    const minted = await runAsCommand(platform, 'rotate-operator-key', (tools) =>
      rotateOperatorKey(platform, tools, machineHolder, parseKeyId(id), Number(overlap)),
    )
    return { id: minted.id, name: minted.name, expires_at: minted.expires_at, key: minted.secret }
  },
  'revoke-operator-key': async (platform, id, { force = false, descendants = false }) => {
    const options = { isForced: force, withDescendants: descendants }
    const revoked = await runAsCommand(platform, 'revoke-operator-key', (tools) =>
      revokeOperatorKey(platform, tools, machineHolder, parseKeyId(id), options),
    )
    await closeGrants(platform, endSubscriptionsOfGrant)
    return revoked
  },
  'reset-operator-ip-allow-list': (platform) =>
    runAsCommand(platform, 'reset-operator-ip-allow-list', (tools) => setOperatorAddresses(tools, () => [])),
} satisfies Record<string, CommandHandler>

export type OperatorCommand = keyof typeof commands
const maxListed = 1_000

/** Runs one command and prints its result as JSON. */
export async function runOperatorCommand(
  config: Config,
  log: Log,
  name: OperatorCommand,
  argument: string,
  flags: Flags,
) {
  const platform = await openPlatform(config, name, log)
  try {
    await ensureAuditPartitions(platform.sql, platform.clock.now())
    console.log(JSON.stringify(await (commands[name] as CommandHandler)(platform, argument, flags)))
  } catch (error) {
    throw error instanceof ApiError ? new CommandRefused(error.message, { cause: error }) : error
  } finally {
    await platform.close()
  }
}
