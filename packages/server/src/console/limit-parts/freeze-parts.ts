import type { Schemas } from '../api/api.ts'
import {
  actionButton,
  badge,
  type Content,
  html,
  linkButton,
  type Markup,
  note,
  nothing,
} from '../components/components.ts'
import { part, type Visit } from '../frame/frame.ts'

/** Something that is frozen, and why. */
export type Frozen = Schemas['Freeze']

/** Returns what is frozen, by the id of the organization, key or limit; nothing where the caller may not see it. */
export async function freezesOf({ api }: Visit): Promise<ReadonlyMap<string, Frozen>> {
  const { value } = await part(api.get('/v1/orgs/{id}/freezes'))
  return new Map(value?.data.map((freeze) => [freeze.target_id, freeze]))
}

export const frozenBadge: Markup = badge('Frozen', 'loud', 'lock')

/** The message that something is frozen, with its reason and the way out. */
export const frozenNote = (
  { formKeys, times, may }: Visit,
  freeze: Frozen,
  { name, path, from }: { readonly name: string; readonly path: string; readonly from: string },
): Markup =>
  note(
    'stop',
    html`<b class="t-stop">Frozen: ${name}.</b> Since ${times.time(freeze.frozen_at)} everything that would be charged to it is refused. Reason: ${freeze.reason}`,
    may('limits:write', 'admin')
      ? actionButton(formKeys, `${path}/thaw`, 'Thaw', { kind: 'sm danger solid', of: name, fields: { from } })
      : nothing,
  )

/** The way to freeze something, or to thaw it. */
export const freezeAction = (
  { formKeys }: Visit,
  freeze: Frozen | undefined,
  {
    name,
    path,
    from,
    kind = '',
  }: { readonly name: string; readonly path: string; readonly from: string; readonly kind?: string },
): Content =>
  freeze
    ? actionButton(formKeys, `${path}/thaw`, 'Thaw', { kind, of: name, fields: { from } })
    : linkButton(`${path}/freeze?from=${encodeURIComponent(from)}`, 'Freeze', { kind, of: name })
