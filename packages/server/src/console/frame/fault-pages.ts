import type { ApiFault } from '../api/api.ts'
import { type Content, html, joined, linkButton, note, nothing, pageHead, when } from '../components/components.ts'
import type { ConsolePage } from './page-frame.ts'
import type { Part, Visit } from './visit.ts'

const titles: Readonly<Record<number, string>> = {
  403: 'You may not see this',
  404: 'There is nothing here',
  429: 'Too many requests',
  503: 'Weir is busy',
}

const advice = (fault: ApiFault, { caller }: Visit): Content => {
  const { required_scope: scope, required_role: role } = fault.details
  if (fault.status === 403)
    return html`<p>Your role is <b>${caller.role}</b>. ${fault.message}</p>${when(scope ?? role, (needed) => html`<p>Needed: <code>${String(needed)}</code>. An admin of your organization can give it to you.</p>`)}`
  if (fault.status === 404) return html`<p>It may have been deleted, or belong to another organization.</p>`
  return html`<p>${fault.message}</p>`
}

/** The page in place of one that the API refused: what failed, who can help, and the trace. */
export const faultPage = (visit: Visit, fault: ApiFault): ConsolePage => ({
  title: titles[fault.status] ?? 'This failed',
  here: '',
  status: fault.status,
  body: html`${pageHead(titles[fault.status] ?? 'This failed')}<div class="narrow-col stack">${advice(fault, visit)}<div class="actions">${linkButton('/console', 'To the overview', { kind: 'primary' })}${
    fault.status >= 429 ? linkButton(visit.address, 'Try again') : nothing
  }</div><p class="small faint gap16">${fault.status} <code>${fault.code}</code>, trace <code>${fault.traceId}</code></p></div>`,
})

/** The page at an address that no page has. */
export const missingPage: ConsolePage = {
  title: 'There is nothing here',
  here: '',
  status: 404,
  body: html`${pageHead('There is nothing here')}<div class="narrow-col stack"><p>The address may be mistyped, or the page may have moved.</p><div class="actions">${linkButton('/console', 'To the overview', { kind: 'primary' })}</div></div>`,
}

/** Shows a part of a page, or in its place what failed and a way to try again. */
export function shown<T>({ value, fault }: Part<T>, { address }: Visit, show: (value: T) => Content): Content {
  if (fault === undefined) return show(value)
  if (fault.status === 403) return note('', joined([`${fault.message} An admin can show you this part.`]))
  const faults = fault.fields.map(({ field, message }) => `${field}: ${message}`).join(' ')
  return note(
    'stop',
    joined([`This part could not be read: ${faults === '' ? fault.message : faults}`]),
    linkButton(address, 'Try again', { kind: 'sm' }),
  )
}
