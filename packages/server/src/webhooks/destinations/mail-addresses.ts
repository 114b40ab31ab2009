import { hash, randomBytes } from 'node:crypto'
import type { ChangeTools } from '../../access/changes/changes.ts'
import { ApiError, validationFailed } from '../../contract/errors.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import { formatId } from '../../values/id.ts'
import { timestamp } from '../../values/timestamp.ts'
import type { SendMail } from './mail.ts'
import {
  countUnconfirmed,
  lockDueAddresses,
  orgsWithDueCodes,
  recordCode,
  sendCodeLater,
  takeCode,
  wantCodes,
} from './mail-address-queries.ts'
import { openMailUses, secondsUntilNextHour } from './mail-uses.ts'

/**
 * Confirmations of addresses: a code is mailed to an address once, and whoever reads it lets the organization have it. Until then the
 * address gets nothing else.
 */

const maxUnconfirmed = 100
const orgsAtOnce = 100
const perOrg = 20
const laterSeconds = 600

const digestOf = (code: string) => hash('sha256', code, 'buffer')

/** Asks the owners of addresses whether they want mail of an organization. */
export async function askOwners(tx: Tx, orgId: string, addresses: readonly string[]) {
  if (addresses.length === 0) return
  await wantCodes(tx, orgId, addresses)
  if ((await countUnconfirmed(tx, orgId)) > maxUnconfirmed)
    throw new ApiError(
      'conflict',
      {},
      {
        message: `At most ${maxUnconfirmed} addresses can be unconfirmed. Use those of a domain that you have proved.`,
      },
    )
}

/** Confirms an address with the code that was mailed to it. */
export async function confirmAddress({ tx, audit }: ChangeTools, orgId: string, code: string) {
  const row = await takeCode(tx, orgId, digestOf(code.trim()))
  if (!row)
    throw validationFailed([
      {
        field: 'code',
        code: 'invalid_value',
        message: 'This is no code of a mail of the last 7 days, or it was used.',
      },
    ])
  const view = { address: row.address, confirmed_at: timestamp(row.confirmed_at) }
  audit({ action: 'mail_address.confirmed', target: { kind: 'org', id: formatId('org', orgId) }, after: view })
  return view
}

/** Mails the codes that are due; returns how many. Each is recorded before it is sent, so that none is sent twice. */
export async function sendCodes(
  platform: Pick<Platform, 'sql' | 'config' | 'clock'>,
  sendMail: SendMail,
): Promise<number> {
  const { sql, config, clock } = platform
  let sent = 0
  for (const orgId of await orgsWithDueCodes(sql, orgsAtOnce)) {
    const codes = await sql.asOrgs([orgId], async (tx) => {
      const uses = await openMailUses(tx, config, [{ orgId }])
      const made: { address: string; code: string }[] = []
      for (const address of await lockDueAddresses(tx, orgId, perOrg)) {
        if (!uses.take({ orgId }, 1)) {
          await sendCodeLater(tx, orgId, address, { seconds: secondsUntilNextHour(clock.now()), isUnsent: false })
          continue
        }
        const code = `mail_${randomBytes(20).toString('base64url')}`
        await recordCode(tx, orgId, address, digestOf(code))
        made.push({ address, code })
      }
      await uses.save()
      return made
    })
    for (const { address, code } of codes) {
      const outcome = await sendMail(codeMail(orgId, address, code))
      sent++
      if ('status' in outcome && outcome.status < 300) continue
      const again = { seconds: laterSeconds, isUnsent: !('error' in outcome && outcome.error === 'timeout') }
      await sql.asOrgs([orgId], (tx) => sendCodeLater(tx, orgId, address, again))
    }
  }
  return sent
}

const codeMail = (orgId: string, address: string, code: string) => ({
  recipients: [address],
  id: `${hash('sha256', code)}.code`,
  subject: '[Weir] Confirm your address',
  lines: [
    'Somebody who administers an organization in Weir wants alerts of it sent to you.',
    '',
    'If you want them, give this code to whoever has asked you. It works once, for 7 days:',
    '',
    code,
    '',
    'If not, do nothing: nobody can have alerts sent to you without the code.',
    `The organization is ${formatId('org', orgId)}.`,
  ],
})
