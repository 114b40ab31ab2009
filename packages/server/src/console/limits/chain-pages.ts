import type { Schemas } from '../api/api.ts'
import {
  type Content,
  code,
  countText,
  curl,
  type FormState,
  freshForm,
  html,
  linkButton,
  moneyText,
  moneyValue,
  nothing,
  section,
  table,
  textField,
} from '../components/components.ts'
import {
  amountIn,
  type ConsolePage,
  countIn,
  type FormValues,
  formPage,
  questionPage,
  refusedForm,
  type Visit,
} from '../frame/frame.ts'
import { limitsHead, limitsPath } from './limit-tabs.ts'

type Bounds = NonNullable<Schemas['ChainLimits']['default']>

const path = `${limitsPath}/chains`
const api = '/v1/orgs/{id}/chain-limits'
const noBounds: Bounds = { max_cost_usd: null, max_tokens: null, max_depth: null }

const cost = ({ max_cost_usd }: Bounds): Content =>
  max_cost_usd === null ? html`<span class="dim">any</span>` : html`<b>${moneyText(max_cost_usd)}</b>`
const count = (value: number | null): Content =>
  value === null ? html`<span class="dim">any</span>` : countText(value)
const addressOf = (page: string, workflow: string) => `${path}/${page}?workflow_id=${encodeURIComponent(workflow)}`

/** Bounds on what one chain of runs may cost: by default, and of single workflows. */
export async function chainPage(visit: Visit): Promise<ConsolePage> {
  const { default: standard, workflows } = await visit.api.get(api)
  const mayChange = visit.may('limits:write', 'admin')
  const rows = [{ workflow_id: '', ...(standard ?? noBounds) }, ...workflows]
  return {
    title: 'Chains',
    here: limitsPath,
    body: html`${limitsHead(
      visit,
      '/chains',
      'A chain is a run with all runs that it starts. It stops when it has cost, read and written, or nested as much as it may.',
      mayChange ? linkButton(`${path}/new`, 'Bound a workflow', { kind: 'primary', iconName: 'plus' }) : nothing,
    )}${table(
      [
        {
          name: 'Chains of',
          kind: 'who',
          cell: ({ workflow_id }) =>
            workflow_id === '' ? html`<b>Every other workflow</b>` : html`<code>${workflow_id}</code>`,
        },
        { name: 'Cost, at most', isNumber: true, label: 'Cost', cell: cost },
        { name: 'Tokens, at most', isNumber: true, label: 'Tokens', cell: ({ max_tokens }) => count(max_tokens) },
        { name: 'Depth, at most', isNumber: true, label: 'Depth', cell: ({ max_depth }) => count(max_depth) },
        {
          name: 'Actions',
          isAction: true,
          cell: ({ workflow_id }) =>
            mayChange
              ? html`${linkButton(addressOf('edit', workflow_id), 'Change', { kind: 'sm quiet', of: workflow_id || 'every other workflow' })}${
                  workflow_id === ''
                    ? nothing
                    : linkButton(addressOf('delete', workflow_id), 'Remove', { kind: 'sm quiet', of: workflow_id })
                }`
              : nothing,
        },
      ],
      rows,
      { kind: 'budgets', caption: 'Bounds of chains' },
    )}${
      standard === null && workflows.length === 0
        ? section(
            'Set them from a script',
            code(
              'Terminal',
              curl('PATCH', `/v1/orgs/${visit.org.id}/chain-limits`, { default: { max_cost_usd: '5', max_depth: 8 } }),
              'the command for bounds of chains',
            ),
          )
        : nothing
    }`,
  }
}

const show = (visit: Visit, state: FormState, isNew: boolean): ConsolePage => {
  const workflow = state.values['workflow_id'] ?? ''
  return formPage(visit, state, {
    title: isNew
      ? 'Bound chains of a workflow'
      : workflow === ''
        ? 'Chains of every other workflow'
        : `Chains of ${workflow}`,
    sub: 'An empty field is no bound. The first run of a chain may ask for less.',
    here: limitsPath,
    action: path,
    body: html`<input type="hidden" name="etag" value="${state.values['etag'] ?? ''}">${
      isNew
        ? html`<input type="hidden" name="is_new" value="true">${textField(state, { name: 'workflow_id', label: 'Workflow', hint: 'Its id as your calls send it.', isRequired: true })}`
        : html`<input type="hidden" name="workflow_id" value="${workflow}">`
    }${textField(state, { name: 'max_cost_usd', label: 'Cost in US dollars, at most', prefix: '$', isOptional: true })}${textField(state, { name: 'max_tokens', label: 'Tokens, at most', isOptional: true })}${textField(
      state,
      {
        name: 'max_depth',
        label: 'Depth, at most',
        hint: 'How many runs may start one another in a line.',
        isOptional: true,
      },
    )}`,
    submit: 'Set the bounds',
    cancel: path,
  })
}

export async function newBoundsPage(visit: Visit): Promise<ConsolePage> {
  const { etag } = await visit.api.tagged(api)
  return show(visit, freshForm({ workflow_id: '', max_cost_usd: '', max_tokens: '', max_depth: '', etag }), true)
}

export async function editBoundsPage(visit: Visit): Promise<ConsolePage> {
  const { value, etag } = await visit.api.tagged(api)
  const workflow = visit.query.get('workflow_id') ?? ''
  const bounds =
    (workflow === '' ? value.default : value.workflows.find(({ workflow_id }) => workflow_id === workflow)) ?? noBounds
  return show(
    visit,
    freshForm({
      workflow_id: workflow,
      max_cost_usd: bounds.max_cost_usd === null ? '' : moneyValue(bounds.max_cost_usd),
      max_tokens: String(bounds.max_tokens ?? ''),
      max_depth: String(bounds.max_depth ?? ''),
      etag,
    }),
    false,
  )
}

/** Sets bounds: the list of workflows is written as a whole, and only if nobody has changed it since the form was read. */
export async function changeBounds(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  const workflow = (values['workflow_id'] ?? '').trim()
  const isNew = values['is_new'] === 'true'
  const bounds = {
    max_cost_usd: amountIn(values['max_cost_usd']),
    max_tokens: countIn(values['max_tokens']),
    max_depth: countIn(values['max_depth']),
  }
  const names = Object.fromEntries(
    ['max_cost_usd', 'max_tokens', 'max_depth'].map((name) => [`default.${name}`, name] as const),
  )
  try {
    const { workflows } = await visit.api.get(api)
    const others = workflows.filter(({ workflow_id }) => workflow_id !== workflow)
    for (const name of ['workflow_id', 'max_cost_usd', 'max_tokens', 'max_depth'])
      names[`workflows.${others.length}.${name}`] = name
    await visit.api.change('patch', api, {
      ifMatch: values['etag'] ?? '',
      body:
        workflow === '' && !isNew
          ? { default: bounds }
          : { workflows: [...others, { workflow_id: workflow, ...bounds }] },
    })
    return `${path}?done=set`
  } catch (error) {
    return show(visit, refusedForm(error, values, names), isNew)
  }
}

export async function deleteBoundsPage(visit: Visit): Promise<ConsolePage> {
  const workflow = visit.query.get('workflow_id') ?? ''
  return questionPage(visit, {
    title: `Remove the bounds of ${workflow}?`,
    here: limitsPath,
    body: html`<p>Its chains are then bound as those of every other workflow.</p>`,
    action: addressOf('delete', workflow),
    submit: 'Remove the bounds',
    keep: 'Keep them',
    cancel: path,
  })
}

export async function deleteBounds(visit: Visit): Promise<string> {
  const workflow = visit.query.get('workflow_id') ?? ''
  const { value, etag } = await visit.api.tagged(api)
  await visit.api.change('patch', api, {
    ifMatch: etag,
    body: { workflows: value.workflows.filter(({ workflow_id }) => workflow_id !== workflow) },
  })
  return `${path}?done=removed`
}
