import { formatId, parseId } from '../../values/id.ts'
import type { Caller } from './callers.ts'

/** The key, support grant or member that made something. */
export interface MakerId {
  readonly kind: Caller['kind']
  readonly id: string
}

/** A maker with the lineage that owns what it made. */
export interface Maker extends MakerId {
  readonly lineageId: string
}

/**
 * A maker as rows store it: one of the two; or neither for a member, whom the audit log names, and in rows from before makers were
 * recorded.
 */
export interface MakerColumns {
  readonly key_id: string | null
  readonly grant_id: string | null
}

/** The acting party: a caller, or the service itself on behalf of an organization. */
export type Agent =
  | Pick<Caller, 'kind' | 'id' | 'lineageId' | 'orgId' | 'pins' | 'scopes'>
  | { readonly orgId: string; readonly kind?: undefined }

export const makerOf = (agent: Agent): Maker | undefined =>
  agent.kind === undefined ? undefined : { kind: agent.kind, id: agent.id, lineageId: agent.lineageId }

/** Returns the lineage of a key that made something; undefined for everybody else. */
export const lineageOfMaker = (maker: Maker | undefined): string | undefined =>
  maker?.kind === 'key' ? maker.lineageId : undefined

/** Returns the lineage of an acting key; undefined for everybody else. */
export const lineageIn = (agent: Agent): string | undefined => (agent.kind === 'key' ? agent.lineageId : undefined)

export const makerColumns = (maker: MakerId | undefined): MakerColumns => ({
  key_id: maker?.kind === 'key' ? maker.id : null,
  grant_id: maker?.kind === 'support' ? maker.id : null,
})

export function makerIn({ key_id, grant_id }: MakerColumns): MakerId | undefined {
  if (key_id !== null) return { kind: 'key', id: key_id }
  return grant_id === null ? undefined : { kind: 'support', id: grant_id }
}

const idKinds = { key: 'key', support: 'grant', person: 'member', directory: 'scimToken' } as const

/** Formats a maker as `/v1` does: `key_…`, `sgr_…` for a support grant, `mbr_…` for a member, `sct_…` for a directory. */
export const makerText = ({ kind, id }: MakerId): string => formatId(idKinds[kind], id)
export const makerTextOrNull = (maker: MakerId | undefined) => (maker ? makerText(maker) : null)

/** Parses the id of a maker; undefined when it is not one. */
export function parseMaker(text: string): MakerId | undefined {
  const keyId = parseId('key', text)
  if (keyId !== undefined) return { kind: 'key', id: keyId }
  const grantId = parseId('grant', text)
  return grantId === undefined ? undefined : { kind: 'support', id: grantId }
}
