import type { Schemas } from '../api/api.ts'
import { type BadgeKind, badge, type Column, html, type Times } from '../components/components.ts'

/** A support grant: an operator's access to an organization, for a while and with a reason. */
export type SupportGrant = Schemas['SupportGrant']

/** Column of what a grant allows. */
export const scopeColumn: Column<SupportGrant> = { name: 'May', label: 'May', cell: ({ scope }) => scope }

/** Returns the column of the state of a grant; `text` says that it is active, in the words of whoever reads it. */
export const stateColumn = (text: string, kind: BadgeKind): Column<SupportGrant> => ({
  name: 'State',
  kind: 'stt',
  cell: ({ status }) =>
    status === 'active'
      ? badge(text, kind, 'eye')
      : html`<span class="dim">${status === 'revoked' ? 'Ended' : 'Expired'}</span>`,
})

/** Returns the column of when a grant ends, or has ended. */
export const endColumn = (times: Times): Column<SupportGrant> => ({
  name: 'Until',
  label: 'Until',
  kind: 'nowrap',
  cell: ({ expires_at, revoked_at }) => times.time(revoked_at ?? expires_at),
})
