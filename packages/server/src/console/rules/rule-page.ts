import {
  actionButton,
  badge,
  type Content,
  type FormState,
  facts,
  freshForm,
  html,
  linkButton,
  type Markup,
  note,
  nothing,
  pageHead,
  section,
} from '../components/components.ts'
import {
  type ConsolePage,
  type FormValues,
  formStatus,
  messageIn,
  part,
  questionPage,
  refusedForm,
  shown,
  type Visit,
} from '../frame/frame.ts'
import { testDraft, testReport } from './rule-backtest.ts'
import { ruleEditor, sampleFields } from './rule-editor.ts'
import { matchTable } from './rule-matches.ts'
import { evaluationReport } from './rule-trial.ts'
import {
  draftOf,
  editorFields,
  effectBadge,
  ruleForm,
  rulesPath,
  type ShownRule,
  stateMark,
  stateOf,
  switchesOf,
} from './rule-words.ts'

const idOf = ({ params }: Visit) => params['rule_id'] ?? ''
const readRule = (visit: Visit): Promise<ShownRule> =>
  visit.api.get('/v1/orgs/{id}/policies/{rule_id}', { path: { rule_id: idOf(visit) } })

const freshRule = freshForm({
  name: '',
  expression: '',
  effect: 'block',
  target: 'model',
  priority: '100',
  reason: '',
  approver: 'anyone',
})

/** The form for a new rule. It begins in shadow. */
export const newRulePage = (visit: Visit, state: FormState = freshRule, report: Content = nothing): ConsolePage => ({
  title: 'New rule',
  here: rulesPath,
  status: formStatus(state),
  body: html`${pageHead('New rule', 'It begins in shadow: matches are recorded and nothing is refused. Switch it on when they are what you expect.')}<div class="grid"><div class="w7">${ruleEditor(visit, state, { action: rulesPath, check: `${rulesPath}/check`, submit: 'Create in shadow' })}</div><div class="w5">${report}</div></div>`,
})

export async function createRule(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  try {
    const rule = await visit.api.change('post', '/v1/orgs/{id}/policies', {
      body: { ...draftOf(values), ...switchesOf('shadow') },
    })
    return `${rulesPath}/${rule.id}?done=created`
  } catch (error) {
    return newRulePage(visit, refusedForm(error, values))
  }
}

const doneWords: Readonly<Record<string, string>> = {
  created: 'The rule is in shadow: matches are recorded from now on.',
  changed: 'The change holds from now on. Approvals of the earlier version have ended.',
  on: 'The rule is on.',
  shadow: 'The rule is in shadow: it is recorded and refuses nothing.',
  off: 'The rule is off: it is not asked.',
}

/** One rule: its editor, its latest matches, and its switch. */
export async function rulePage(visit: Visit): Promise<ConsolePage> {
  const rule = await readRule(visit)
  return pageOf(visit, rule, ruleForm(rule))
}

const latestMatches = 10

async function pageOf(
  visit: Visit,
  rule: ShownRule,
  state: FormState,
  report: Content = nothing,
): Promise<ConsolePage> {
  const { api, may, query } = visit
  const mayChange = may('policies:write', 'admin')
  const matches = await part(
    api.get('/v1/orgs/{id}/policies/matches', { query: { rule_id: rule.id, sort: '-minute', limit: latestMatches } }),
  )
  const message = messageIn(doneWords, query)
  return {
    title: rule.name,
    here: rulesPath,
    status: formStatus(state),
    body: html`${pageHead(
      html`${rule.name} ${effectBadge(rule.effect)}`,
      html`${stateMark(rule)}, version ${rule.version}, changed ${visit.times.passed(rule.updated_at)}`,
      mayChange ? stateButtons(visit, rule) : nothing,
    )}${message === undefined ? nothing : note('info', message)}<div class="grid"><div class="w7">${
      mayChange
        ? section(
            'The rule',
            ruleEditor(visit, state, {
              action: `${rulesPath}/${rule.id}`,
              check: `${rulesPath}/${rule.id}/check`,
              submit: 'Save changes',
              more:
                stateOf(rule) === 'on'
                  ? html`<p class="all small dim">The rule is on: a change decides about the next run, and ends the approvals of this version.</p>`
                  : nothing,
            }),
          )
        : readOnly(rule)
    }</div><div class="w5">${report}${section(
      'Latest matches',
      shown(matches, visit, ({ data }) => matchTable(visit, data)),
      linkButton(`${rulesPath}/${rule.id}/matches`, 'All', { kind: 'sm quiet', of: 'matches' }),
    )}${mayChange ? html`<div class="actions gap">${linkButton(`${rulesPath}/${rule.id}/delete`, 'Delete', { kind: 'danger', of: rule.name })}</div>` : nothing}</div></div>`,
  }
}

const stateButtons = ({ formKeys }: Visit, rule: ShownRule): Markup => {
  const state = stateOf(rule)
  const to = (wanted: 'shadow' | 'off', text: string) =>
    state === wanted
      ? nothing
      : actionButton(formKeys, `${rulesPath}/${rule.id}/state`, text, {
          kind: '',
          fields: { to: wanted },
          of: rule.name,
        })
  return html`${to('off', 'Switch off')}${to('shadow', 'Put in shadow')}${state === 'on' ? nothing : linkButton(`${rulesPath}/${rule.id}/switch-on`, 'Test and switch on', { kind: 'primary', of: rule.name })}`
}

const readOnly = (rule: ShownRule): Markup =>
  section(
    'The rule',
    facts([
      ['It is about runs where', html`<code>${rule.expression}</code>`],
      ['Tells the caller', rule.reason],
      ['Asked for', rule.target === 'action' ? 'runs that name an action' : 'every run'],
      ['Order', rule.priority],
      ['Who approves', badge(rule.approver.replaceAll('_', ' '), 'line')],
      ['Id', html`<code>${rule.id}</code>`],
    ]),
  )

export async function changeRule(visit: Visit, values: FormValues): Promise<string | ConsolePage> {
  try {
    await visit.api.change('patch', '/v1/orgs/{id}/policies/{rule_id}', {
      path: { rule_id: idOf(visit) },
      body: draftOf(values),
    })
    return `${rulesPath}/${idOf(visit)}?done=changed`
  } catch (error) {
    const state = refusedForm(error, values)
    return pageOf(visit, await readRule(visit), state)
  }
}

/** Tries a draft on a run, or tests it on the runs of the past, and shows the editor with what was found. Nothing is saved. */
export async function checkRule(visit: Visit, values: FormValues): Promise<ConsolePage> {
  const isNew = visit.params['rule_id'] === undefined
  const rule = isNew ? undefined : await readRule(visit)
  const show = (state: FormState, report?: Content) =>
    rule === undefined ? newRulePage(visit, state, report) : pageOf(visit, rule, state, report)
  const draft = draftOf(values)
  // The draft is kept for the next submission, which is another request.
  const state = freshForm(Object.fromEntries(Object.entries(values).filter(([name]) => name !== 'idempotency_key')))
  try {
    if (values['do'] === 'try') {
      const run = Object.fromEntries(
        sampleFields.flatMap(([name, , field]) => (values[name] ? [[field, values[name]]] : [])),
      )
      const found = await visit.api.ask('/v1/orgs/{id}/policies/evaluate', {
        body: { run: { ...run, model: values['sample_model'] ?? '' }, rules: [draft] },
      })
      return await show(state, evaluationReport(found))
    }
    const tested = await part(testDraft(visit, draft, rule?.id))
    // A refusal is about the draft or its sender; a test that cannot run now is said in its place.
    if (tested.fault !== undefined && tested.fault.status < 429) throw tested.fault
    return await show(
      state,
      shown(tested, visit, (found) => testReport(visit, found, draft.effect)),
    )
  } catch (error) {
    return show(refusedForm(error, values, draftNames(error)))
  }
}

/** Returns the names of the form for fields of a draft, which the API knows by their positions. */
function draftNames(error: unknown): Record<string, string> {
  const fields = (error as { fields?: readonly { field: string }[] }).fields ?? []
  const known = new Set<string>(editorFields)
  return Object.fromEntries(
    fields.flatMap(({ field }) => {
      const own = /^rules\.\d+\.(\w+)$/.exec(field)?.[1]
      if (own !== undefined && known.has(own)) return [[field, own]]
      const sample = sampleFields.find(([, , name]) => field === `run.${name}`)
      return sample ? [[field, sample[0]]] : []
    }),
  )
}

/** Switches a rule on, into shadow or off. */
export async function switchRule(visit: Visit, values: FormValues): Promise<string> {
  const to = values['to'] === 'on' || values['to'] === 'off' ? values['to'] : 'shadow'
  await visit.api.change('patch', '/v1/orgs/{id}/policies/{rule_id}', {
    path: { rule_id: idOf(visit) },
    body: switchesOf(to),
  })
  return `${rulesPath}/${idOf(visit)}?done=${to}`
}

/** The question before a rule is deleted. */
export async function deleteRulePage(visit: Visit): Promise<ConsolePage> {
  const rule = await readRule(visit)
  return questionPage(visit, {
    title: `Delete ${rule.name}?`,
    here: rulesPath,
    body: html`<p>Runs that it refuses now are decided by the other rules. Its approvals end. Its matches stay on record.</p>`,
    action: `${rulesPath}/${rule.id}/delete`,
    submit: 'Delete the rule',
    cancel: `${rulesPath}/${rule.id}`,
  })
}

export async function deleteRule(visit: Visit): Promise<string> {
  await visit.api.change('delete', '/v1/orgs/{id}/policies/{rule_id}', {
    path: { rule_id: idOf(visit) },
  })
  return rulesPath
}
