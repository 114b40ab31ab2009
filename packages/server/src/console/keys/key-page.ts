import type { Schemas } from '../api/api.ts'
import {
  actionButton,
  badge,
  type FormState,
  facts,
  freshForm,
  html,
  linkButton,
  note,
  nothing,
  pageHead,
  section,
  selectField,
  shortId,
  textField,
} from '../components/components.ts'
import {
  type ConsolePage,
  countIn,
  type FormValues,
  formPage,
  messageIn,
  questionPage,
  refusedForm,
  type Visit,
} from '../frame/frame.ts'
import { keySecretPage } from './key-form.ts'
import { ownerText, pinChips } from './key-list.ts'
import { freezeOf, keyFreezes, keyState, memberNames } from './key-states.ts'

type Key = Schemas['Key']

const path = '/console/keys'
const done: Readonly<Record<string, string>> = {
  changed: 'The change is saved.',
  revoked: 'No server accepts this key any more.',
  frozen: 'What would be charged to this key is refused from now on.',
  thawed: 'This key may spend again.',
}

const readKey = ({ api, params }: Visit): Promise<Key> =>
  api.get('/v1/orgs/{id}/keys/{key_id}', { path: { key_id: params['key_id'] ?? '' } })

const keyFact = (name: string, id: string | null) =>
  id === null ? [] : [[name, html`<a href="${path}/${id}">${shortId(id)}</a>`] as const]

/** One key: who answers for it, what it may do, and how it ends. */
export async function keyPage(visit: Visit): Promise<ConsolePage> {
  const { api, times, may, query, formKeys } = visit
  const [key, names, freezes] = await Promise.all([readKey(visit), memberNames(visit), keyFreezes(visit)])
  const freeze = await freezeOf(api, key, freezes)
  const state = keyState(key, freeze !== undefined, times)
  const isAlive = key.status === 'active' || key.status === 'pending'
  const mayChange = may('keys:write', 'admin') && isAlive
  const mayFreeze = may('limits:write', 'admin') && isAlive
  const message = messageIn(done, query)
  return {
    title: key.name,
    here: path,
    body: html`${pageHead(
      html`${key.name} ${badge(state.text, state.badge ?? '', state.icon)}`,
      html`${key.role}, owned by ${ownerText(key.owner_id, names)}, ${key.last_used_at === null ? 'never used' : html`last used ${times.passed(key.last_used_at)}`}`,
      mayChange && key.rotated_to === null
        ? linkButton(`${path}/${key.id}/rotate`, 'Rotate', { kind: 'primary' })
        : nothing,
      mayChange ? linkButton(`${path}/${key.id}/edit`, 'Change') : nothing,
    )}${message === undefined ? nothing : note('info', message)}${
      freeze === undefined
        ? nothing
        : note(
            'stop',
            html`<b class="t-stop">Frozen since ${times.time(freeze.frozen_at)}.</b> Everything that would be charged to it is refused: ${freeze.reason}`,
            mayFreeze
              ? actionButton(formKeys, `${path}/${key.id}/thaw`, 'Thaw', { kind: 'sm', of: key.name })
              : nothing,
          )
    }${section(
      'About this key',
      facts([
        ['Id', html`<code>${key.id}</code>`],
        ['Pinned to', pinChips(key)],
        [
          'Scopes',
          html`<span class="chips">${key.scopes.map((scope) => html`<span class="chip">${scope}</span>`)}</span>`,
        ],
        ...(key.not_before === null ? [] : [['Works from', times.time(key.not_before)] as const]),
        ['Ends', key.expires_at === null ? 'never' : times.time(key.expires_at)],
        ...keyFact('Made by', key.minted_by),
        ...keyFact('Replaces', key.rotated_from),
        ...keyFact('Replaced by', key.rotated_to),
        ['Made', times.time(key.created_at)],
        ...(key.revoked_at === null ? [] : [['Revoked', times.time(key.revoked_at)] as const]),
      ]),
    )}${section(
      'What it does',
      html`<div class="actions gap16">${linkButton(`/console/runs?key_id=${key.id}`, 'Runs', { kind: 'sm' })}${linkButton(`/console/keys?minted_by=${key.id}&status=`, 'Keys that it made', { kind: 'sm' })}${linkButton(`/console/sessions?key_id=${key.id}`, 'Its sessions', { kind: 'sm' })}</div>`,
    )}${
      mayChange || (mayFreeze && freeze === undefined)
        ? html`<div class="actions gap">${mayFreeze && freeze === undefined ? linkButton(`${path}/${key.id}/freeze`, 'Freeze', { of: key.name }) : nothing}${mayChange ? linkButton(`${path}/${key.id}/revoke`, 'Revoke', { kind: 'danger', of: key.name }) : nothing}</div>`
        : nothing
    }`,
  }
}

const overlaps = [
  { value: '0', text: 'Ends now', consequence: 'For a secret that somebody else may have.' },
  { value: '3600', text: 'Works for another hour' },
  { value: '86400', text: 'Works for another day' },
  { value: '604800', text: 'Works for another 7 days' },
  { value: '2592000', text: 'Works for another 30 days' },
]

const rotateForm = (visit: Visit, key: Key, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: `Rotate ${key.name}`,
    sub: 'A new key takes its place, with the same role, scopes, pins and end.',
    here: path,
    action: `${path}/${key.id}/rotate`,
    submit: 'Rotate and show the new key',
    cancel: `${path}/${key.id}`,
    body: selectField(state, {
      name: 'overlap_seconds',
      label: 'The old key',
      choices: overlaps,
      hint: 'Both work until then, so callers can change over one by one.',
    }),
  })

export async function rotateKeyPage(visit: Visit): Promise<ConsolePage> {
  return rotateForm(visit, await readKey(visit), freshForm({ overlap_seconds: '86400' }))
}

/** Rotates a key, and shows the secret of the new one. */
export async function rotateKey(visit: Visit, values: FormValues): Promise<ConsolePage> {
  const keyId = visit.params['key_id'] ?? ''
  const overlap = countIn(values['overlap_seconds']) ?? 0
  try {
    const successor = await visit.api.change('post', '/v1/orgs/{id}/keys/{key_id}/rotate', {
      path: { key_id: keyId },
      body: { overlap_seconds: overlap },
    })
    const end = new Date(visit.times.now.getTime() + overlap * 1_000)
    return keySecretPage(
      successor,
      `The new key ${successor.name}`,
      html`<p>${overlap === 0 ? 'The old key no longer works.' : html`The old key works until ${visit.times.long(end)}.`}</p>`,
    )
  } catch (error) {
    return rotateForm(visit, await readKey(visit), refusedForm(error, values))
  }
}

/** The question before a key is revoked. */
export async function revokeKeyPage(visit: Visit): Promise<ConsolePage> {
  const [key, names] = await Promise.all([readKey(visit), memberNames(visit)])
  const { times } = visit
  const owner = key.owner_id === null ? undefined : names.get(key.owner_id)
  return questionPage(visit, {
    title: `Revoke ${key.name}?`,
    here: path,
    body: html`<p>From this moment no server accepts it. ${owner === undefined ? 'It was' : `${owner} answers for it; it was`} ${key.last_used_at === null ? 'never used' : html`last used ${times.passed(key.last_used_at)}`}. Calls that run now may finish. Sessions that were opened with it end. This cannot be undone.</p><p class="dim">To change over without an interruption, <a href="${path}/${key.id}/rotate">rotate it</a>.${visit.may('limits:write', 'admin') ? html` To stop its spending for a while, <a href="${path}/${key.id}/freeze">freeze it</a>.` : nothing}</p>`,
    action: `${path}/${key.id}/revoke`,
    submit: 'Revoke key',
    cancel: `${path}/${key.id}`,
  })
}

export async function revokeKey({ api, params }: Visit): Promise<string> {
  const keyId = params['key_id'] ?? ''
  await api.change('post', '/v1/orgs/{id}/keys/{key_id}/revoke', {
    path: { key_id: keyId },
    body: {},
  })
  return `${path}/${keyId}?done=revoked`
}

const freezeForm = (visit: Visit, key: Key, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: `Freeze ${key.name}`,
    sub: 'What would be charged to it is refused until it is thawed. It can still read.',
    here: path,
    action: `${path}/${key.id}/freeze`,
    submit: 'Freeze key',
    kind: 'danger solid',
    cancel: `${path}/${key.id}`,
    body: textField(state, {
      name: 'reason',
      label: 'Reason',
      isRequired: true,
      hint: 'Its callers are told. Such as: An agent loops.',
    }),
  })

export async function freezeKeyPage(visit: Visit): Promise<ConsolePage> {
  return freezeForm(visit, await readKey(visit), freshForm({ reason: '' }))
}

export async function freezeKey(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const keyId = visit.params['key_id'] ?? ''
  try {
    await visit.api.change('post', '/v1/orgs/{id}/keys/{key_id}/freeze', {
      path: { key_id: keyId },
      body: { reason: values['reason'] ?? '' },
    })
    return `${path}/${keyId}?done=frozen`
  } catch (error) {
    return freezeForm(visit, await readKey(visit), refusedForm(error, values))
  }
}

export async function thawKey({ api, params }: Visit): Promise<string> {
  const keyId = params['key_id'] ?? ''
  await api.change('post', '/v1/orgs/{id}/keys/{key_id}/thaw', {
    path: { key_id: keyId },
  })
  return `${path}/${keyId}?done=thawed`
}

async function changeForm(visit: Visit, key: Key, state: FormState): Promise<ConsolePage> {
  const names = await memberNames(visit)
  return formPage(visit, state, {
    title: `Change ${key.name}`,
    sub: 'What a key may do never changes. For other powers, make another key.',
    here: path,
    action: `${path}/${key.id}/edit`,
    submit: 'Save changes',
    cancel: `${path}/${key.id}`,
    body: html`${textField(state, { name: 'name', label: 'Name', isRequired: true })}${selectField(state, {
      name: 'owner_id',
      label: 'Owner',
      hint: 'Answers for it; the key ends when they are removed.',
      choices: [
        { value: '', text: 'Nobody' },
        ...[...names].map(([value, text]) => ({ value, text })),
        ...(key.owner_id === null || names.has(key.owner_id) ? [] : [{ value: key.owner_id, text: key.owner_id }]),
      ],
    })}`,
  })
}

export async function changeKeyPage(visit: Visit): Promise<ConsolePage> {
  const key = await readKey(visit)
  return changeForm(visit, key, freshForm({ name: key.name, owner_id: key.owner_id ?? '' }))
}

export async function changeKey(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const keyId = visit.params['key_id'] ?? ''
  const { name = '', owner_id = '' } = values
  try {
    await visit.api.change('patch', '/v1/orgs/{id}/keys/{key_id}', {
      path: { key_id: keyId },
      body: { name, owner_id: owner_id === '' ? null : owner_id },
    })
    return `${path}/${keyId}?done=changed`
  } catch (error) {
    return changeForm(visit, await readKey(visit), refusedForm(error, values))
  }
}
