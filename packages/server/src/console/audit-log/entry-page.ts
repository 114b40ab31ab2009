import { ApiFault } from '../api/api.ts'
import { facts, html, linkButton, nothing, pageHead, section } from '../components/components.ts'
import type { ConsolePage, Visit } from '../frame/frame.ts'
import { differenceTable } from './entry-difference.ts'
import { actorText, auditLogOf } from './entry-list.ts'

/** One entry: who changed what, why, and each field before and after. Its time is in the address, by which the API finds it. */
export async function entryPage(visit: Visit): Promise<ConsolePage> {
  const { api, params, query, times, request } = visit
  const { path, list } = auditLogOf(visit)
  const seq = params['seq'] ?? ''
  const at = Date.parse(query.get('at') ?? '')
  const from = Number.isNaN(at) ? undefined : new Date(at).toISOString()
  const to = Number.isNaN(at) ? undefined : new Date(at + 1).toISOString()
  const found =
    from === undefined || to === undefined ? [] : (await api.get(list, { query: { from, to, limit: 200 } })).data
  const entry = found.find((one) => one.seq === seq)
  if (!entry) throw new ApiFault(404, { error: { code: 'not_found', message: 'There is no such entry.' } }, request.id)
  const { actor, target } = entry
  return {
    title: `${entry.action}, entry ${entry.seq}`,
    here: path,
    body: html`<nav class="crumbs" aria-label="Where you are"><a href="${path}">Audit log</a> / entry ${entry.seq}</nav>${pageHead(
      entry.action,
      html`by ${actorText(entry)}, ${times.exact(entry.created_at)}`,
      linkButton(`${path}?target_id=${encodeURIComponent(target.id)}`, 'All changes of the target'),
    )}${entry.reason === null ? nothing : html`<p class="lead">“${entry.reason}”</p>`}${section('What changed', differenceTable(entry.before, entry.after))}${section(
      'About this entry',
      facts([
        ['Id', html`<code>${entry.id}</code>`],
        ['Number', `${entry.seq} in the chain`],
        ['Who', html`<code>${actor.id}</code>, ${actor.kind}, ${actor.role}`],
        ['Target', html`<code>${target.id}</code>, ${target.kind}`],
        ['Why', entry.reason ?? 'no reason was given'],
        [
          'Outcome',
          entry.outcome === 'allowed' ? 'Allowed' : `Denied${entry.count > 1 ? `, ${entry.count} times` : ''}`,
        ],
        ['From', entry.address ?? 'the service itself'],
        ['Trace', html`<code>${entry.trace_id}</code>`],
      ]),
    )}`,
  }
}
