import { dayMs } from '../../values/time.ts'
import type { Schemas } from '../api/api.ts'
import { type BadgeKind, badge, type FormState, freshForm, html, type Markup } from '../components/components.ts'
import type { FormValues } from '../frame/frame.ts'

export type ShownRule = Schemas['Rule']
export type DraftedRule = Schemas['RuleInput']

/** Path of the list of rules. */
export const rulesPath = '/console/rules'

const effectWords: Readonly<Record<string, readonly [string, BadgeKind]>> = {
  block: ['Blocks', 'stop'],
  require_approval: ['Needs approval', 'info'],
  allow: ['Allows', 'ok'],
  error: ['Failed', 'warn'],
}

/** Badge of an effect: what a rule does to the runs that it matches. */
export const effectBadge = (effect: string): Markup => {
  const [text, kind] = effectWords[effect] ?? [effect, '']
  return badge(text, kind)
}

/** States of a rule: `on` decides, `shadow` is only recorded, `off` is not asked. */
export type RuleState = 'on' | 'shadow' | 'off'

export const stateOf = ({ enabled, shadow }: Pick<ShownRule, 'enabled' | 'shadow'>): RuleState => {
  if (!enabled) return 'off'
  return shadow ? 'shadow' : 'on'
}

const stateWords = { on: ['On', 'ok'], shadow: ['In shadow', 'warn'], off: ['Off', ''] } as const

/** The state of a rule, with a dot. */
export const stateMark = (rule: Pick<ShownRule, 'enabled' | 'shadow'>): Markup => {
  const state = stateOf(rule)
  const [text, dot] = stateWords[state]
  return html`<span class="st-on${state === 'off' ? ' dim' : ''}"><span class="dot ${dot}"></span>${text}</span>`
}

/** Returns the switches of the API for a state. */
export const switchesOf = (state: RuleState) => ({ enabled: state !== 'off', shadow: state === 'shadow' })

export const effectChoices = [
  { value: 'block', text: 'Block' },
  { value: 'require_approval', text: 'Ask for approval' },
  { value: 'allow', text: 'Allow' },
] as const
export const targetChoices = [
  { value: 'model', text: 'Every run' },
  { value: 'action', text: 'Runs that name an action' },
] as const
export const approverChoices = [
  { value: 'anyone', text: 'A key or a person' },
  { value: 'person', text: 'A person' },
  { value: 'another_person', text: 'A person other than the one behind the key' },
] as const

/** Fields of a rule that the editor has, under their names in the API. */
export const editorFields = ['name', 'expression', 'effect', 'target', 'priority', 'reason', 'approver'] as const

/** Returns the value of a choice; the first where the form sent something else. */
const chosen = <Value extends string>(choices: readonly { readonly value: Value }[], value: string | undefined) =>
  choices.find((choice) => choice.value === value)?.value ?? choices[0]?.value

/** Returns the rule that a form describes. Browsers send CRLF at the ends of lines; rules have LF. */
export const draftOf = (values: FormValues): DraftedRule => {
  const { name = '', expression = '', priority = '', reason = '' } = values
  return {
    name,
    expression: expression.replaceAll('\r\n', '\n'),
    effect: chosen(effectChoices, values['effect']) ?? 'block',
    target: chosen(targetChoices, values['target']) ?? 'model',
    // Anything but digits goes to the API as it is, which says at the field what is wrong.
    priority: /^\s*\d{1,9}\s*$/.test(priority) ? Number(priority) : (priority as never),
    reason,
    approver: chosen(approverChoices, values['approver']) ?? 'anyone',
  }
}

export const ruleForm = (rule: ShownRule): FormState =>
  freshForm({
    name: rule.name,
    expression: rule.expression,
    effect: rule.effect,
    target: rule.target,
    priority: String(rule.priority),
    reason: rule.reason,
    approver: rule.approver,
  })

/** Returns a saved rule as a draft. */
export const savedDraft = (rule: ShownRule): DraftedRule => ({
  ...draftOf(ruleForm(rule).values),
  enabled: rule.enabled,
  shadow: rule.shadow,
})

export const shownDays = 14

/** Returns the days of the sparkline as the API names them, the oldest first. */
export const daysUntil = (now: Date): readonly string[] =>
  Array.from({ length: shownDays }, (_, i) =>
    new Date(now.getTime() - (shownDays - 1 - i) * dayMs).toISOString().slice(0, 10),
  )
