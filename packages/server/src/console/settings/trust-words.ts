import type { FieldChoice } from '../components/components.ts'

/** A setting of trust, as a choice of few. */
interface TrustChoice {
  readonly name:
    | 'reported_cost'
    | 'reported_usage'
    | 'release'
    | 'edge_expiry'
    | 'over_limit_reports'
    | 'start_only'
    | 'input_required'
    | 'action_required'
  readonly label: string
  readonly choices: readonly FieldChoice[]
  /** True for a setting that is yes or no. */
  readonly isFlag?: boolean
}

const flag = (no: string, yes: string): readonly FieldChoice[] => [
  { value: 'false', text: 'No', consequence: no },
  { value: 'true', text: 'Yes', consequence: yes },
]

/** Settings of trust, the most trusting choice first. */
export const trustChoices: readonly TrustChoice[] = [
  {
    name: 'reported_cost',
    label: 'A cost that callers report',
    choices: [
      { value: 'accept', text: 'Counts', consequence: 'It is the cost.' },
      {
        value: 'raise_only',
        text: 'Counts if it is higher',
        consequence: 'Otherwise what the tokens cost, or what was held.',
      },
      { value: 'ignore', text: 'Does not count', consequence: 'Only the tokens count, or what was held.' },
    ],
  },
  {
    name: 'reported_usage',
    label: 'Tokens that callers report',
    choices: [
      { value: 'accept', text: 'Count', consequence: 'They are charged at their price.' },
      { value: 'raise_only', text: 'Count if they cost more', consequence: 'Otherwise what was held is charged.' },
    ],
  },
  {
    name: 'release',
    label: 'What is held',
    choices: [
      { value: 'allow', text: 'Can be released by hand', consequence: 'Callers can give it back.' },
      { value: 'refuse', text: 'Ends by a report or its lease', consequence: 'Nobody gives it back.' },
    ],
  },
  {
    name: 'edge_expiry',
    label: 'What is held and never reported',
    choices: [
      { value: 'release', text: 'Is free again', consequence: 'Silence costs nothing.' },
      { value: 'charge', text: 'Is charged', consequence: 'Until a report replaces it.' },
    ],
  },
  {
    name: 'over_limit_reports',
    label: 'A run without a hold that does not fit',
    choices: [
      { value: 'refuse', text: 'Is not recorded', consequence: 'The limit holds on paper.' },
      { value: 'book', text: 'Is booked', consequence: 'Money that was spent is on the books.' },
    ],
  },
  {
    name: 'start_only',
    label: 'Calls must start as runs',
    isFlag: true,
    choices: flag('Callers may also ask at the edge.', 'Rules and detectors see every call.'),
  },
  {
    name: 'input_required',
    label: 'Runs must send their input',
    isFlag: true,
    choices: flag('Detectors see what is sent.', 'None starts without what detectors look at.'),
  },
  {
    name: 'action_required',
    label: 'Runs must name their action',
    isFlag: true,
    choices: flag('Rules on actions see what is named.', 'None starts without an action.'),
  },
]

/** Returns the words for a setting as it is. */
export const trustText = (name: TrustChoice['name'], value: string): string =>
  trustChoices.find((choice) => choice.name === name)?.choices.find((choice) => choice.value === value)?.text ?? value
