import { formatId } from '../../values/id.ts'
import type { ApiFault, Schemas } from '../api/api.ts'
import { actionButton, blank, counted, html, linkButton, note, nothing, pageHead } from '../components/components.ts'
import { type ConsolePage, type FormValues, part, type Visit } from '../frame/frame.ts'

type Key = Schemas['Key']

const path = '/console/keys'
/** As many as a page of the list shows. */
const mostKeys = 50

const chosenIds = (text: string): string[] => [...new Set(text.split(',').filter((id) => id !== ''))].slice(0, mostKeys)

const readKey = ({ api }: Visit, id: string): Promise<Key> =>
  api.get('/v1/orgs/{id}/keys/{key_id}', { path: { key_id: id } })

/** The question before several keys are revoked: which ones, and that it cannot be undone. */
export async function revokeSeveralPage(visit: Visit): Promise<ConsolePage> {
  const ids = chosenIds(visit.query.getAll('key_id').join(','))
  const { data } =
    ids.length === 0 ? { data: [] } : await visit.api.get('/v1/orgs/{id}/keys', { query: { limit: 200 } })
  const listed = new Map(data.map((key) => [key.id, key]))
  const keys: Key[] = []
  for (const id of ids) keys.push(listed.get(id) ?? (await readKey(visit, id)))
  return {
    title: 'Revoke keys',
    here: path,
    body:
      keys.length === 0
        ? html`${pageHead('Revoke keys')}${blank('No key is chosen', 'Tick the keys in the list that are to be revoked.', linkButton(path, 'To the keys', { kind: 'sm' }))}`
        : html`${pageHead(html`Revoke ${counted(keys.length, 'key')}?`)}<div class="narrow-col stack"><p>From the next request on no server accepts them, and what they are signed in to ends. This cannot be undone.</p><ul>${keys.map((key) => html`<li><a href="${path}/${key.id}">${key.name}</a> <span class="dim">${key.role}</span></li>`)}</ul><div class="actions">${
            visit.may('keys:write', 'admin')
              ? actionButton(visit.formKeys, `${path}/revoke`, `Revoke ${counted(keys.length, 'key')}`, {
                  kind: 'danger solid',
                  fields: { key_id: keys.map(({ id }) => id).join(',') },
                })
              : nothing
          }${linkButton(path, 'Keep them')}</div></div>`,
  }
}

/** Revokes several keys, one after the other; says which ones could not be. */
export async function revokeSeveral(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const { caller, api } = visit
  const own = caller.kind === 'key' ? formatId('key', caller.id) : ''
  // The key of this session is the last, because the session ends with it.
  const ids = chosenIds(values['key_id'] ?? '').toSorted((a, b) => Number(a === own) - Number(b === own))
  const faults: { readonly id: string; readonly fault: ApiFault }[] = []
  for (const id of ids) {
    const { fault } = await part(api.change('post', '/v1/orgs/{id}/keys/{key_id}/revoke', { path: { key_id: id } }))
    if (fault !== undefined) faults.push({ id, fault })
  }
  const [first] = faults
  if (first === undefined) return ids.length === 0 ? path : `${path}?done=revoked`
  if (faults.length === ids.length) throw first.fault
  return {
    title: 'Revoke keys',
    here: path,
    status: 422,
    body: html`${pageHead('Some keys are not revoked')}${note('stop', html`<b class="t-stop">${counted(faults.length, 'key')} of ${ids.length} could not be revoked.</b> The others no longer work.`)}<ul>${faults.map(({ id, fault }) => html`<li><a href="${path}/${id}"><code>${id}</code></a>: ${fault.message}</li>`)}</ul>${linkButton(path, 'To the keys', { kind: 'primary' })}`,
  }
}
