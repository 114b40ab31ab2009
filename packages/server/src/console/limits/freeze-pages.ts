import {
  actionButton,
  blank,
  type Column,
  code,
  counted,
  curl,
  type FormState,
  freshForm,
  html,
  linkButton,
  type Markup,
  nothing,
  section,
  shortId,
  table,
  textField,
} from '../components/components.ts'
import {
  type ConsolePage,
  type ConsoleRoutes,
  type FormValues,
  formPage,
  refusedForm,
  type Visit,
} from '../frame/frame.ts'
import { type Frozen, frozenNote } from '../limit-parts/limit-parts.ts'
import { limitsHead, limitsPath } from './limit-tabs.ts'

const frozenPath = `${limitsPath}/frozen`

/** Something that can be frozen, as its address names it. */
interface FreezeTarget {
  readonly kind: 'org' | 'key' | 'limit'
  readonly id: string
  readonly path: string
  readonly title: string
}

const orgTarget: FreezeTarget = { kind: 'org', id: '', path: limitsPath, title: 'Freeze everything?' }
const keyTarget = (id: string): FreezeTarget => ({
  kind: 'key',
  id,
  path: `${limitsPath}/keys/${encodeURIComponent(id)}`,
  title: 'Freeze a key?',
})
const limitTarget = (id: string): FreezeTarget => ({
  kind: 'limit',
  id,
  path: `${limitsPath}/${encodeURIComponent(id)}`,
  title: 'Freeze a limit?',
})

/** Consequences of a freeze, said before it is done. */
const consequence = ({ kind, id }: FreezeTarget, { org }: Visit): Markup =>
  kind === 'org'
    ? html`Every new call of <b>${org.name}</b> that costs anything is refused, by every key, until somebody thaws it. Calls that run now finish.`
    : kind === 'key'
      ? html`Every new call of <code>${id}</code>, and of the keys that it was rotated to, is refused until somebody thaws it. It can still read.`
      : html`Every new call that would be charged to <code>${id}</code> is refused until somebody thaws it. What it has counted stays.`

/** Returns where a freeze was asked for, if it is a page of the console. */
const backTo = (from: string | null | undefined) =>
  /^\/console\/[\w/.%~-]+$/.test(from ?? '') ? String(from) : frozenPath

const show = (visit: Visit, target: FreezeTarget, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: target.title,
    sub: consequence(target, visit),
    here: limitsPath,
    action: `${target.path}/freeze`,
    body: html`<input type="hidden" name="from" value="${state.values['from'] ?? ''}">${textField(state, {
      name: 'reason',
      label: 'Reason',
      hint: 'It is part of every refusal, so that whoever is refused knows whom to ask.',
      isRequired: true,
    })}`,
    submit: target.kind === 'org' ? 'Freeze everything' : 'Freeze it',
    kind: 'danger solid',
    cancel: backTo(state.values['from']),
  })

async function freeze(visit: Visit, target: FreezeTarget, values: FormValues): Promise<string | ConsolePage> {
  const { api } = visit
  const sent = { body: { reason: values['reason'] ?? '' } }
  try {
    if (target.kind === 'org') await api.change('post', '/v1/orgs/{id}/freeze', sent)
    else if (target.kind === 'key')
      await api.change('post', '/v1/orgs/{id}/keys/{key_id}/freeze', { ...sent, path: { key_id: target.id } })
    else await api.change('post', '/v1/orgs/{id}/limits/{limit_id}/freeze', { ...sent, path: { limit_id: target.id } })
    return `${backTo(values['from'])}?done=frozen`
  } catch (error) {
    return show(visit, target, refusedForm(error, { reason: '', ...values }))
  }
}

async function thaw({ api }: Visit, target: FreezeTarget, values: FormValues): Promise<string> {
  if (target.kind === 'org') await api.change('post', '/v1/orgs/{id}/thaw')
  else if (target.kind === 'key')
    await api.change('post', '/v1/orgs/{id}/keys/{key_id}/thaw', { path: { key_id: target.id } })
  else await api.change('post', '/v1/orgs/{id}/limits/{limit_id}/thaw', { path: { limit_id: target.id } })
  return `${backTo(values['from'])}?done=thawed`
}

/** Adds the pages and actions that freeze and thaw the organization, a key or a limit. */
export function freezePages({ page, action }: ConsoleRoutes) {
  const add = (path: string, targetOf: (visit: Visit) => FreezeTarget) => {
    page(`${path}/freeze`, async (visit) =>
      show(visit, targetOf(visit), freshForm({ reason: '', from: visit.query.get('from') ?? '' })),
    )
    action(`${path}/freeze`, (visit, values) => freeze(visit, targetOf(visit), values))
    action(`${path}/thaw`, (visit, values) => thaw(visit, targetOf(visit), values))
  }
  add(limitsPath, ({ query }) => targetNamed((query.get('target') ?? '').trim()))
  add(`${limitsPath}/keys/:key_id`, ({ params }) => keyTarget(params['key_id'] ?? ''))
  add(`${limitsPath}/:limit_id`, ({ params }) => limitTarget(params['limit_id'] ?? ''))
}

function targetNamed(id: string): FreezeTarget {
  if (id === '') return orgTarget
  return id.startsWith('key_') ? keyTarget(id) : limitTarget(id)
}

const pathOf = ({ target_kind, target_id }: Frozen) =>
  (target_kind === 'org' ? orgTarget : target_kind === 'key' ? keyTarget(target_id) : limitTarget(target_id)).path

const names: readonly (readonly [string, string, (id: string) => string])[] = [
  ['bud_', 'Budget', (id) => `/console/budgets/${id}`],
  ['cap_', 'Daily spend cap', () => limitsPath],
  ['ccl_', 'Runs at once', () => `${limitsPath}/concurrency`],
  ['clm_', 'Customer limit', () => '/console/customers'],
  ['key_', 'Key', (id) => `/console/keys/${id}`],
]

const targetCell = ({ target_kind, target_id }: Frozen, mayReadKeys: boolean): Markup => {
  if (target_kind === 'org') return html`<a class="plain" href="${limitsPath}">The whole organization</a>`
  const [, name = 'Limit', link] = names.find(([prefix]) => target_id.startsWith(prefix)) ?? []
  if (target_kind === 'key' && !mayReadKeys) return html`${name} ${shortId(target_id)}`
  return html`<a class="plain" href="${link?.(target_id) ?? frozenPath}">${name}</a> ${shortId(target_id)}`
}

const columnsOf = ({ times, formKeys, may }: Visit): readonly Column<Frozen>[] => [
  { name: 'Frozen', kind: 'who', cell: (one) => targetCell(one, may('keys:read', 'admin')) },
  { name: 'Reason', kind: 'all', cell: ({ reason }) => reason },
  { name: 'Since', label: 'Since', cell: ({ frozen_at }) => times.time(frozen_at) },
  {
    name: 'Actions',
    isAction: true,
    cell: (one) =>
      may('limits:write', 'admin')
        ? actionButton(formKeys, `${pathOf(one)}/thaw`, 'Thaw', {
            kind: 'sm',
            of: one.target_id,
            fields: { from: frozenPath },
          })
        : nothing,
  },
]

/** Everything that is frozen, and the way to freeze something. */
export async function frozenPage(visit: Visit): Promise<ConsolePage> {
  const { data } = await visit.api.get('/v1/orgs/{id}/freezes')
  const mayChange = visit.may('limits:write', 'admin')
  const org = data.find(({ target_kind }) => target_kind === 'org')
  return {
    title: 'Frozen',
    here: limitsPath,
    body: html`${limitsHead(
      visit,
      '/frozen',
      data.length === 0 ? 'Nothing is frozen.' : `${counted(data.length, 'thing')} frozen.`,
      mayChange && !org
        ? linkButton(`${limitsPath}/freeze?from=${encodeURIComponent(frozenPath)}`, 'Freeze everything', {
            kind: 'danger',
            iconName: 'lock',
          })
        : nothing,
    )}${org ? frozenNote(visit, org, { name: 'the whole organization', path: limitsPath, from: frozenPath }) : nothing}${
      data.length === 0
        ? html`${blank('Nothing is frozen', 'Freezing stops spending at once without touching a number: of the organization, of a key or under a limit. Thawing ends it.')}${code('Terminal', curl('POST', `/v1/orgs/${visit.org.id}/freeze`, { reason: 'An agent loops.' }), 'the command that freezes the organization')}`
        : table(columnsOf(visit), data, { kind: 'budgets', caption: 'What is frozen' })
    }${
      mayChange
        ? section(
            'Freeze a key or a limit',
            html`<form class="tools" method="get" action="${limitsPath}/freeze"><input type="hidden" name="from" value="${frozenPath}"><label class="hidden" for="q-target">Id of a key or a limit</label><input class="in find" id="q-target" name="target" required placeholder="key_…, bud_…, cap_…, ccl_…, clm_…"><button class="btn" type="submit">Continue</button></form>`,
          )
        : nothing
    }`,
  }
}
