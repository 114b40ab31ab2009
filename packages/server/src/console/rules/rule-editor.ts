import {
  type Content,
  type FormState,
  form,
  html,
  joined,
  type Markup,
  nothing,
  segmentField,
  selectField,
  textField,
} from '../components/components.ts'
import type { Visit } from '../frame/frame.ts'
import { editorWords, expressionVariables } from './rule-vocabulary.ts'
import { approverChoices, effectChoices, rulesPath, targetChoices } from './rule-words.ts'

/** A fault of an expression: the message of the API, and its place in the text. */
interface PlacedFault {
  readonly message: string
  readonly line: number
  readonly column: number
}

/** Returns the place that a message of the API names at its end. */
export function placedFault(message: string): PlacedFault | undefined {
  const found = /^(.*) \(line (\d+), column (\d+)\)$/s.exec(message)
  return found ? { message: found[1] ?? '', line: Number(found[2]), column: Number(found[3]) } : undefined
}

const maxShownLine = 400

/** Message about an expression: the place, what is wrong, and the line with carets under the word at fault. */
function diagnosis(expression: string, message: string): Markup {
  const fault = placedFault(message)
  if (fault === undefined) return html`<div class="diag" id="f-expression-e"><b class="t-stop">${message}</b></div>`
  const line = (expression.replaceAll('\r\n', '\n').split('\n')[fault.line - 1] ?? '').slice(0, maxShownLine)
  const word = /^\w+/.exec(line.slice(fault.column - 1))?.[0] ?? ' '
  // A tab stays a tab, so that the carets stand under the word.
  const indent = line.slice(0, fault.column - 1).replaceAll(/[^\t]/g, ' ')
  return html`<div class="diag" id="f-expression-e"><b class="t-stop">Line ${fault.line}, column ${fault.column}:</b> ${fault.message}<pre tabindex="0" role="region" aria-label="The line at fault">${line}
${indent}<mark>${'^'.repeat(word.length)}</mark></pre></div>`
}

const leastRows = 3
const mostRows = 30

const expressionField = ({ org }: Visit, { values, faults }: FormState): Markup => {
  const expression = values['expression'] ?? ''
  const message = faults['expression']
  const faultLine = message === undefined ? undefined : placedFault(message)?.line
  const rows = Math.min(mostRows, Math.max(leastRows, expression.split('\n').length))
  const numbers = Array.from({ length: rows }, (_, i) => (i + 1 === faultLine ? html`<b>${i + 1}</b>` : html`${i + 1}`))
  // A browser drops the first line break after the tag, so that an expression that begins with one needs another.
  return html`<div class="field all${message === undefined ? '' : ' bad'}"><label for="f-expression">It is about runs where</label><div class="editor${message === undefined ? '' : ' bad'}"><div class="gut" aria-hidden="true">${joined(numbers.flatMap((number, i) => (i === 0 ? [number] : ['\n', number])))}</div><textarea id="f-expression" name="expression" rows="${rows}" spellcheck="false" autocapitalize="off" autocomplete="off" data-org="${org.id}" data-words="${editorWords}"${message === undefined ? nothing : html` aria-invalid="true" aria-describedby="f-expression-e"`}>
${expression}</textarea></div>${message === undefined ? nothing : diagnosis(expression, message)}</div>`
}

const vocabulary: Markup = html`<details class="more all"><summary>What can I ask about?</summary><p class="small dim">${expressionVariables.map(({ name }) => html`<code>${name}</code> `)}</p><p class="small dim">Expressions are CEL. Team names are in <code>run.department_id</code>; Monday is weekday 1. <a href="/docs/policies">The guide to rules</a> has examples.</p></details>`

/** Fields of the run on which a draft is tried, with the names that they have in the form. */
export const sampleFields = [
  ['sample_model', 'Model', 'model'],
  ['sample_provider', 'Provider', 'provider'],
  ['sample_action', 'Action', 'action'],
  ['sample_workflow_id', 'Workflow', 'workflow_id'],
  ['sample_department_id', 'Team', 'department_id'],
  ['sample_customer_id', 'Customer', 'customer_id'],
  ['sample_user_id', 'User', 'user_id'],
  ['sample_estimated_cost_usd', 'Estimated cost in US dollars', 'estimated_cost_usd'],
] as const

const samplePart = (state: FormState, action: string): Markup =>
  html`<details class="more all"${state.values['do'] === 'try' ? html` open` : nothing}><summary>Try it on a run</summary><div class="form">${sampleFields.map(
    ([name, label]) => textField(state, { name, label, isOptional: name !== 'sample_model' }),
  )}</div><div class="actions gap16"><button class="btn" type="submit" formaction="${action}" name="do" value="try">Try it on this run</button></div></details>`

/** The form of a rule. `check` is the path that tries and tests the draft without saving it. */
export const ruleEditor = (
  visit: Visit,
  state: FormState,
  { action, check, submit, more = nothing }: { action: string; check: string; submit: string; more?: Content },
): Markup =>
  form(
    visit.formKeys,
    action,
    state,
    html`${textField(state, { name: 'name', label: 'Name', isRequired: true })}${textField(state, {
      name: 'priority',
      label: 'Order',
      type: 'number',
      hint: 'Lower numbers are asked first.',
    })}${expressionField(visit, state)}${segmentField(state, { name: 'effect', label: 'Then', choices: effectChoices })}${selectField(
      state,
      { name: 'target', label: 'Asked for', choices: targetChoices },
    )}${textField(state, { name: 'reason', label: 'And tell the caller', isRequired: true })}${selectField(state, {
      name: 'approver',
      label: 'Who approves, if it asks for approval',
      choices: approverChoices,
    })}${more}${vocabulary}${samplePart(state, check)}${
      visit.may('policies:read', 'member')
        ? html`<div class="all actions"><button class="btn" type="submit" formaction="${check}" name="do" value="test">Test on the runs of 30 days</button></div>`
        : nothing
    }`,
    { submit, cancel: rulesPath },
  )
