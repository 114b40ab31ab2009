import type { Role } from '../../contract/routes.ts'
import { createNetworkMatcher, type NetworkMatcher } from '../../values/network.ts'
import type { KeptDigest } from './foreign-digests.ts'
import { normalPins } from './normal-names.ts'
import type { CallerRow, RatePolicyRow, SessionWay } from './queries.ts'
import { scopesInGiftOf, scopesOfPerson } from './scopes.ts'

/** The caller of a request, and all that decides what it may do; frozen at the moment it was read. */
export interface Caller {
  readonly kind: 'key' | 'support' | 'person' | 'directory'
  /** Id of the key, the grant, the membership or the token of a directory. */
  readonly id: string
  /** First key of its chain of rotations, or the grant or membership itself: the owner of whatever the caller makes. */
  readonly lineageId: string
  readonly orgId: string
  readonly role: Role
  readonly scopes: ReadonlySet<string>
  /** Scopes that a person may give to keys. */
  readonly scopesInGift: ReadonlySet<string> | undefined
  readonly pins: Readonly<Record<string, string>>
  readonly notBeforeMs: number
  readonly expiresAtMs: number
  readonly isRevoked: boolean
  readonly grantScope: 'read' | 'billing' | 'configuration' | undefined
  readonly operatorKeyId: string | undefined
  /** The person behind a membership; undefined for keys and grants. */
  readonly person: CallerPerson | undefined
  readonly isOrgSuspended: boolean
  /** True while the organization changes its cell, and where it has left this one. */
  readonly isOrgMoving: boolean
  readonly allowedNetworks: NetworkMatcher | undefined
  readonly requiredDimensions: readonly string[]
  /** Reads per minute: `undefined` without a row, where the installation's default applies; `null` for no limit. */
  readonly readRpm: number | null | undefined
  readonly onUnavailable: 'local' | 'deny' | 'allow'
  readonly ratePolicies: readonly RatePolicyRow[]
  readonly mac: Buffer
  readonly macKeyId: string
  /** Session through which it calls; undefined for a caller that presents its key itself. */
  readonly session: CallerSession | undefined
  /** Key of another gateway that it presents in place of its own; undefined for a caller that presents its own. */
  readonly foreign?: ForeignKey | undefined
}

/** A key of another gateway that stands for one of ours for a limited time. */
export interface ForeignKey {
  readonly id: string
  readonly digest: Buffer
  readonly endsAtMs: number
  /** The keyed hash to be kept instead, where it is kept under an older master key. */
  readonly rehash: KeptDigest | undefined
  /** Time at which it was read, on the clock of the process. */
  readonly readAtMs: number
}

/** The person who calls, as their organization knows them. */
export interface CallerPerson {
  readonly id: string
  readonly email: string
}

/** The session of a browser that acts as a key, a support grant or a person. */
export interface CallerSession {
  readonly id: string
  readonly way: SessionWay
  /** Connection to an identity provider through which it was opened. */
  readonly connectionId: string | undefined
  readonly createdAtMs: number
  readonly digest: Buffer
  readonly isRevoked: boolean
  readonly expiresAtMs: number
  readonly idleMs: number
  /** Last use that this process knows of; other processes may know of later ones. */
  lastUsedMs: number
}

/** True when a session is over: revoked, expired, unused for too long, or ended with its key. */
export const hasSessionEnded = (caller: Caller, session: CallerSession, atMs: number): boolean =>
  session.isRevoked ||
  atMs >= session.expiresAtMs ||
  atMs >= session.lastUsedMs + session.idleMs ||
  caller.isRevoked ||
  atMs < caller.notBeforeMs ||
  atMs >= caller.expiresAtMs

/** Returns the caller of a row. */
export const callerFrom = (row: CallerRow): Caller => ({
  kind: row.kind,
  id: row.id,
  lineageId: row.lineage_id,
  orgId: row.org_id,
  role: row.role,
  scopes: row.kind === 'person' ? scopesOfPerson(row.role) : new Set(row.scopes),
  scopesInGift: row.kind === 'person' ? scopesInGiftOf(row.role) : undefined,
  pins: normalPins(row.pins),
  notBeforeMs: row.not_before?.getTime() ?? Number.NEGATIVE_INFINITY,
  expiresAtMs: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
  isRevoked: row.revoked_at !== null,
  grantScope: row.grant_scope ?? undefined,
  operatorKeyId: row.operator_key_id ?? undefined,
  person: row.person_id === null ? undefined : { id: row.person_id, email: row.email ?? '' },
  isOrgSuspended: row.org_status === 'suspended',
  isOrgMoving: row.org_status === 'moving',
  allowedNetworks: row.ip_allow_list.length === 0 ? undefined : createNetworkMatcher(row.ip_allow_list),
  requiredDimensions: row.required_dimensions,
  readRpm: row.on_unavailable === null ? undefined : row.read_rpm,
  onUnavailable: row.on_unavailable ?? 'local',
  ratePolicies: row.policies,
  mac: row.mac,
  macKeyId: row.mac_key_id,
  session: sessionFrom(row),
})

const sessionFrom = (row: CallerRow): CallerSession | undefined =>
  row.session_digest === null
    ? undefined
    : {
        id: row.token_id,
        way: row.session_way,
        connectionId: row.session_connection_id ?? undefined,
        createdAtMs: row.session_created_at.getTime(),
        digest: row.session_digest,
        isRevoked: row.session_revoked_at !== null,
        expiresAtMs: row.session_expires_at.getTime(),
        idleMs: row.session_idle_seconds * 1_000,
        lastUsedMs: row.session_last_used_at.getTime(),
      }
