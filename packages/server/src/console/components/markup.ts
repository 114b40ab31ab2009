import { html } from 'hono/html'
import type { Markup } from '../../people/pages/pages.ts'

export { html, type Markup }

/** Text or markup, as templates take it. */
export type Content = Markup | string | number

/** Nothing at all, in place of a part that is left out. */
export const nothing: Markup = html``

/** Returns parts one after another. */
export const joined = (parts: readonly Content[]): Markup => html`${parts}`

/** Returns a part if something is there to show. */
export const when = <T>(value: T | undefined | null | false, show: (value: T) => Content): Content =>
  value === undefined || value === null || value === false ? nothing : show(value)
