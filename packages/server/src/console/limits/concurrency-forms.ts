import type { Schemas } from '../api/api.ts'
import { type FormState, freshForm, html, selectField, textField } from '../components/components.ts'
import {
  type ConsolePage,
  countIn,
  type FormValues,
  formPage,
  questionPage,
  refusedForm,
  type Visit,
} from '../frame/frame.ts'
import { kindText } from '../limit-parts/limit-parts.ts'
import { concurrencyKinds, concurrencyPath } from './concurrency-kinds.ts'
import { limitsPath } from './limit-tabs.ts'

type DefaultKind = 'department' | 'workflow' | 'deployment' | 'customer' | 'user' | 'key'

const nameField = (state: FormState) => textField(state, { name: 'name', label: 'Name', isRequired: true })
const maxField = (state: FormState) =>
  textField(state, {
    name: 'max_runs',
    label: 'Runs at once, at most',
    hint: 'A whole number. Further runs are refused until one has ended.',
    isRequired: true,
  })
const maxRuns = (values: FormValues) => ({ max_runs: countIn(values['max_runs']) ?? ('' as never) })

const showNew = (visit: Visit, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: 'New limit on runs at once',
    sub: 'It counts runs that start from now on.',
    here: limitsPath,
    action: concurrencyPath,
    body: html`${selectField(state, { name: 'scope_kind', label: 'Covers', choices: concurrencyKinds })}${textField(
      state,
      {
        name: 'scope_id',
        label: 'Which one',
        hint: 'Its id as your calls send it. Empty for the whole organization.',
        isOptional: true,
      },
    )}${nameField(state)}${maxField(state)}`,
    submit: 'Create limit',
    cancel: concurrencyPath,
  })

export const newConcurrencyPage = async (visit: Visit): Promise<ConsolePage> =>
  showNew(visit, freshForm({ scope_kind: 'org', scope_id: '', name: '', max_runs: '' }))

export async function createConcurrency(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const { name = '', scope_kind = 'org', scope_id = '' } = values
  try {
    await visit.api.change('post', '/v1/orgs/{id}/concurrency-limits', {
      body: {
        name,
        ...maxRuns(values),
        scope_kind: scope_kind as Schemas['ConcurrencyLimitInput']['scope_kind'],
        ...(scope_id !== '' && { scope_id }),
      },
    })
    return `${concurrencyPath}?done=set`
  } catch (error) {
    return showNew(visit, refusedForm(error, values))
  }
}

const idIn = ({ params }: Visit) => ({ concurrency_limit_id: params['concurrency_limit_id'] ?? '' })
const read = (visit: Visit) =>
  visit.api.get('/v1/orgs/{id}/concurrency-limits/{concurrency_limit_id}', { path: idIn(visit) })

const showEdit = (visit: Visit, limit: Schemas['ConcurrencyLimit'], state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: `Change ${limit.name}`,
    sub: html`Covers ${kindText(limit.scope_kind)} <code>${limit.scope_id ?? 'everything'}</code>. A lowered limit stops no run that goes on. <a href="${concurrencyPath}/${limit.id}/delete">Delete this limit</a>`,
    here: limitsPath,
    action: `${concurrencyPath}/${limit.id}/edit`,
    body: html`${nameField(state)}${maxField(state)}`,
    submit: 'Save changes',
    cancel: concurrencyPath,
  })

export async function editConcurrencyPage(visit: Visit): Promise<ConsolePage> {
  const limit = await read(visit)
  return showEdit(visit, limit, freshForm({ name: limit.name, max_runs: String(limit.max_runs) }))
}

export async function changeConcurrency(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  try {
    await visit.api.change('patch', '/v1/orgs/{id}/concurrency-limits/{concurrency_limit_id}', {
      path: idIn(visit),
      body: { name: values['name'] ?? '', ...maxRuns(values) },
    })
    return `${concurrencyPath}?done=set`
  } catch (error) {
    const state = refusedForm(error, values)
    return showEdit(visit, await read(visit), state)
  }
}

export async function deleteConcurrencyPage(visit: Visit): Promise<ConsolePage> {
  const { name, id } = await read(visit)
  return questionPage(visit, {
    title: `Delete ${name}?`,
    here: limitsPath,
    body: html`<p>Runs that it covers are no longer stopped by it. Runs that go on go on.</p>`,
    action: `${concurrencyPath}/${id}/delete`,
    submit: 'Delete the limit',
    cancel: concurrencyPath,
  })
}

export async function deleteConcurrency(visit: Visit): Promise<string> {
  await visit.api.change('delete', '/v1/orgs/{id}/concurrency-limits/{concurrency_limit_id}', {
    path: idIn(visit),
  })
  return `${concurrencyPath}?done=removed`
}

const kindIn = ({ params }: Visit) => ({ scope_kind: (params['scope_kind'] ?? '') as DefaultKind })
const defaultPath = (visit: Visit) =>
  `${limitsPath}/concurrency-defaults/${encodeURIComponent(kindIn(visit).scope_kind)}`

const showDefault = (visit: Visit, state: FormState): ConsolePage =>
  formPage(visit, state, {
    title: `Runs at once of each ${kindText(kindIn(visit).scope_kind)}`,
    sub: 'For each one that has no limit of its own, counted separately.',
    here: limitsPath,
    action: `${defaultPath(visit)}/edit`,
    body: maxField(state),
    submit: 'Set the default',
    cancel: concurrencyPath,
  })

export async function editConcurrencyDefaultPage(visit: Visit): Promise<ConsolePage> {
  const { max_runs } = await visit.api.get('/v1/orgs/{id}/concurrency-defaults/{scope_kind}', { path: kindIn(visit) })
  return showDefault(visit, freshForm({ max_runs: max_runs === null ? '' : String(max_runs) }))
}

export async function changeConcurrencyDefault(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  try {
    await visit.api.change('put', '/v1/orgs/{id}/concurrency-defaults/{scope_kind}', {
      path: kindIn(visit),
      body: maxRuns(values),
    })
    return `${concurrencyPath}?done=set`
  } catch (error) {
    return showDefault(visit, refusedForm(error, values))
  }
}

export const removeConcurrencyDefaultPage = async (visit: Visit): Promise<ConsolePage> =>
  questionPage(visit, {
    title: `Remove the default of each ${kindText(kindIn(visit).scope_kind)}?`,
    here: limitsPath,
    body: html`<p>Those without a limit of their own may then run any number at once, within the other limits.</p>`,
    action: `${defaultPath(visit)}/delete`,
    submit: 'Remove the default',
    cancel: concurrencyPath,
  })

export async function removeConcurrencyDefault(visit: Visit): Promise<string> {
  await visit.api.change('delete', '/v1/orgs/{id}/concurrency-defaults/{scope_kind}', {
    path: kindIn(visit),
  })
  return `${concurrencyPath}?done=removed`
}
