import { type FieldFault, validationFailed } from '../../contract/errors.ts'
import type { Outbound } from '../../platform/infra/outbound.ts'
import type { Tx } from '../../platform/infra/sql.ts'
import {
  type Destination,
  type DestinationSecret,
  mayKeepSecret,
  secretField,
  secretPart,
  shownPart,
  shownUrl,
  standardDestination,
  type WantedDestination,
} from '../destinations/destination.ts'
import { askOwners } from '../destinations/mail-addresses.ts'
import { standingsOf } from '../destinations/recipients.ts'

/** The address of a subscription as it is asked for: a URL, or a destination that has its own. */
export interface WantedAddress {
  readonly url?: string | undefined
  readonly destination?: WantedDestination | undefined
}

/** A stored destination; `secret` is undefined where it has none. */
export interface StoredAddress {
  readonly url: string
  readonly destination: Destination
  readonly secret: DestinationSecret | undefined
}

/** Checks and normalises the URLs of a request. It resolves host names, which takes time, so it is never called within a transaction. */
export async function allowedAddress<T extends WantedAddress>(outbound: Pick<Outbound, 'check'>, asked: T): Promise<T> {
  const { url, destination } = asked
  const isMessages = destination !== undefined && destination.kind !== 'https'
  const urls: readonly (readonly [string, string | undefined])[] = [
    // What stands for a destination of messages is compared with the stored one, under its lock.
    ['url', isMessages || !/^https?:/i.test(url ?? '') ? undefined : url],
    ['destination.webhook_url', destination?.webhook_url],
    ['destination.events_url', destination?.events_url],
  ]
  const faults: FieldFault[] = []
  for (const [field, text] of urls) {
    const fault = text === undefined ? undefined : await outbound.check(text)
    if (fault) faults.push({ field, ...fault })
  }
  if (faults.length > 0) throw validationFailed(faults)
  return urls[0]?.[1] === undefined ? asked : { ...asked, url: new URL(urls[0][1]).href }
}

/** Returns the address that is to be stored; refuses one that lacks something. */
export function addressFrom(wanted: WantedAddress, stored?: StoredAddress): StoredAddress {
  const asked = wanted.destination ?? standardDestination
  const destination = shownPart(asked)
  if (destination.kind === 'https') {
    if (wanted.url === undefined) throw missing('url', 'A destination of the kind https needs a URL.')
    if (!/^https?:/i.test(wanted.url))
      throw invalid('url', 'Must be a URL that begins with http:// or https://.', 'invalid_format')
    return { url: wanted.url, destination, secret: undefined }
  }
  const kept = stored && mayKeepSecret(stored.destination, destination) ? stored.secret : undefined
  const secret = secretPart(asked) ?? kept
  const field = secretField(destination)
  if (secret === undefined && field !== undefined)
    throw missing(`destination.${field}`, `A destination of the kind ${destination.kind} needs its ${field}.`)
  const url = shownUrl(destination, secret ?? {})
  if (wanted.url !== undefined && wanted.url !== url && wanted.url !== stored?.url)
    throw invalid('url', `A destination of the kind ${destination.kind} has an address of its own: leave \`url\` out.`)
  return { url, destination, secret }
}

const missing = (field: string, message: string) => validationFailed([{ field, code: 'required', message }])
const invalid = (field: string, message: string, code: 'invalid_value' | 'invalid_format' = 'invalid_value') =>
  validationFailed([{ field, code, message }])

/** Refuses mail to strangers: nobody may have Weir write to somebody who is not of the organization. Asks those who have not confirmed. */
export async function requireOwnRecipients(tx: Tx, orgId: string, { recipients = [] }: Destination, mayMail: boolean) {
  if (recipients.length === 0) return
  if (!mayMail)
    throw invalid('destination.kind', 'This installation sends no mail: its operator has not set SVC_SMTP_URL.')
  const standings = await standingsOf(
    tx,
    recipients.map((address) => ({ orgId, address })),
  )
  const faults = standings.flatMap((standing, i): FieldFault[] =>
    standing === 'stranger'
      ? [
          {
            field: `destination.recipients.${i}`,
            code: 'invalid_value',
            message: 'Must be the address of an active member, or of a domain that the organization has proved.',
          },
        ]
      : [],
  )
  if (faults.length > 0) throw validationFailed(faults)
  await askRecipients(tx, orgId, recipients)
}

/** Asks those recipients who have not confirmed their address, unless they were asked lately or often enough. */
export async function askRecipients(tx: Tx, orgId: string, recipients: readonly string[]) {
  const standings = await standingsOf(
    tx,
    recipients.map((address) => ({ orgId, address })),
  )
  const unconfirmed = recipients.filter((_, i) => standings[i] === 'unconfirmed')
  await askOwners(tx, orgId, unconfirmed)
}
