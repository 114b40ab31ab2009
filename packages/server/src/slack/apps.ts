import type { ChangeTools } from '../access/changes/changes.ts'
import { type Caller, makerText } from '../access/identity/identity.ts'
import { ApiError, validationFailed } from '../contract/errors.ts'
import { type DesiredState, notSet } from '../contract/replaceable.ts'
import type { Tx } from '../platform/infra/sql.ts'
import { lockOrg } from '../tenants/orgs/orgs.ts'
import { formatId } from '../values/id.ts'
import { timestamp } from '../values/timestamp.ts'
import { deleteApp, findApp, type SlackAppRow, upsertApp } from './app-queries.ts'
import { SlackApp, type SlackAppInput } from './schema.ts'
import type { SlackSecrets } from './secrets.ts'

/** An organization has one app, which is named after it. */
const idOf = (orgId: string) => formatId('slackApp', orgId)

const viewOf = (row: SlackAppRow): SlackApp => ({
  id: idOf(row.org_id),
  channel: row.channel,
  enabled: row.enabled,
  signing_secret_set_at: timestamp(row.signing_secret_set_at),
  signing_secret_set_by: row.keepers,
  bot_token_set_at: timestamp(row.bot_token_set_at),
  fault: row.fault,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

export async function getApp(tx: Tx, orgId: string) {
  const row = await findApp(tx, orgId)
  return row ? viewOf(row) : notSet(SlackApp)
}

/** Sets the app of an organization. Secrets stay unless others are given: they cannot be read, so nobody could send them again. */
export async function putApp(
  secrets: SlackSecrets,
  { tx, audit, replaces }: ChangeTools,
  caller: Caller,
  wanted: DesiredState<SlackAppInput>,
  now: Date,
): Promise<SlackApp> {
  const { orgId } = caller
  await lockOrg(tx, orgId)
  const found = await findApp(tx, orgId)
  const before = found && viewOf(found)
  replaces(before, notSet(SlackApp))
  const { channel, enabled = true, signing_secret, bot_token } = wanted(before)
  const row = await upsertApp(tx, orgId, {
    channel,
    enabled,
    ...signingColumns(secrets, caller, found, signing_secret, now),
    ...tokenColumns(secrets, orgId, found, bot_token, now),
  })
  const after = viewOf(row)
  audit({ action: 'slack_app.set', target: targetOf(orgId), before, after })
  return after
}

/** Returns the columns of the signing secret. Whoever gives the one that is stored knows it too. */
function signingColumns(
  { sealSecret, unsealSecret }: SlackSecrets,
  caller: Caller,
  found: SlackAppRow | undefined,
  given: string | undefined,
  now: Date,
) {
  const { orgId } = caller
  const stored = found && {
    sealed_signing_secret: found.sealed_signing_secret,
    signing_secret_set_at: found.signing_secret_set_at,
    keepers: found.keepers,
  }
  if (given === undefined) return stored ?? missing('signing_secret')
  const keeper = makerText(caller)
  const isSame = stored && readable(() => unsealSecret(orgId, 'signing secret', stored.sealed_signing_secret)) === given
  if (stored && isSame) return { ...stored, keepers: [...new Set([...stored.keepers, keeper])] }
  return {
    sealed_signing_secret: sealSecret(orgId, 'signing secret', given),
    signing_secret_set_at: now,
    keepers: [keeper],
  }
}

function tokenColumns(
  { sealSecret, unsealSecret }: SlackSecrets,
  orgId: string,
  found: SlackAppRow | undefined,
  given: string | undefined,
  now: Date,
) {
  const stored = found && { sealed_bot_token: found.sealed_bot_token, bot_token_set_at: found.bot_token_set_at }
  if (given === undefined) return stored ?? missing('bot_token')
  if (stored && readable(() => unsealSecret(orgId, 'bot token', stored.sealed_bot_token)) === given) return stored
  return { sealed_bot_token: sealSecret(orgId, 'bot token', given), bot_token_set_at: now }
}

/** Returns a secret; undefined where its master key is gone. */
function readable(unseal: () => string): string | undefined {
  try {
    return unseal()
  } catch {
    return undefined
  }
}

function missing(field: string): never {
  throw validationFailed([{ field, code: 'required', message: 'The app has none yet, so it must be given.' }])
}

const targetOf = (orgId: string) => ({ kind: 'slack_app', id: idOf(orgId) })

/** Removes the app, and with it every link of a Slack user. */
export async function removeApp({ tx, audit, replaces }: ChangeTools, orgId: string): Promise<null> {
  await lockOrg(tx, orgId)
  const found = await findApp(tx, orgId)
  if (!found) throw new ApiError('not_found')
  const before = viewOf(found)
  replaces(before)
  await deleteApp(tx, orgId)
  audit({ action: 'slack_app.deleted', target: targetOf(orgId), before })
  return null
}
