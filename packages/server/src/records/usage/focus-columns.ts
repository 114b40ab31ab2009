import { escapeCell } from '../../values/csv.ts'
import { formatUsd } from '../../values/money.ts'
import { utcMidnight } from './granules.ts'
import type { DimensionRow } from './queries.ts'

/** The columns of FOCUS: those that a version requires, those of its conditional ones that a run can fill, and then our own. */

export interface FocusCharge extends DimensionRow {
  readonly day: Date
  readonly account: { readonly id: string; readonly name: string }
}

/** FOCUS writes UTC as `Z`, and whole seconds. */
const moment = (time: Date) => time.toISOString().replace('.000Z', 'Z')
const month = ({ day }: FocusCharge, offset: number) =>
  moment(new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + offset)))

const cost = ({ cost_nano }: FocusCharge) => formatUsd(cost_nano)
const tokens = ({ input_tokens, output_tokens }: FocusCharge) => input_tokens + output_tokens
/** The number of tokens, or of runs where no tokens were reported. */
const quantity = (charge: FocusCharge) => (tokens(charge) === 0n ? charge.runs : tokens(charge)).toString()
const unit = (charge: FocusCharge) => (tokens(charge) === 0n ? 'Requests' : 'Tokens')
/** Runs that name no provider get our own name: the specification does not allow an empty one. */
const provider = ({ provider }: FocusCharge) => escapeCell(provider === '' ? 'Weir' : provider)
const whenThere = (text: string, value: string) => (text === '' ? '' : value)

function tags({ workflow_id, deployment_id, department_id, key_id, user_id }: FocusCharge): string {
  const known = Object.entries({ workflow_id, deployment_id, department_id, key_id, user_id }).filter(
    ([, value]) => value !== '',
  )
  return known.length === 0
    ? ''
    : JSON.stringify(Object.fromEntries(known.map(([name, value]) => [`weir/${name}`, value])))
}

type Columns = Readonly<Record<string, (charge: FocusCharge) => string>>

/** Columns that all versions have; an empty field is null. */
const shared: Columns = {
  BilledCost: cost,
  BillingAccountId: ({ account }) => account.id,
  BillingAccountName: ({ account }) => escapeCell(account.name),
  BillingAccountType: () => 'Organization',
  BillingCurrency: () => 'USD',
  BillingPeriodEnd: (charge) => month(charge, 1),
  BillingPeriodStart: (charge) => month(charge, 0),
  ChargeCategory: () => 'Usage',
  ChargeClass: () => '',
  ChargeDescription: (charge) => escapeCell(`${charge.model}: ${charge.runs} runs, ${tokens(charge)} tokens`),
  ChargeFrequency: () => 'Usage-Based',
  ChargePeriodEnd: ({ day }) => moment(utcMidnight(day, 1)),
  ChargePeriodStart: ({ day }) => moment(day),
  ConsumedQuantity: quantity,
  ConsumedUnit: unit,
  ContractedCost: cost,
  EffectiveCost: cost,
  InvoiceIssuerName: provider,
  ListCost: cost,
  PricingQuantity: quantity,
  PricingUnit: unit,
  ResourceId: ({ deployment_id }) => escapeCell(deployment_id),
  ResourceName: () => '',
  ResourceType: ({ deployment_id }) => whenThere(deployment_id, 'Deployment'),
  ServiceCategory: () => 'AI and Machine Learning',
  ServiceName: () => 'Model Inference',
  ServiceSubcategory: () => 'Generative AI',
  SkuId: ({ model }) => escapeCell(model),
  SkuMeter: () => 'Model Inference',
  SubAccountId: ({ department_id }) => escapeCell(department_id),
  SubAccountType: ({ department_id }) => whenThere(department_id, 'Department'),
  Tags: tags,
}

/** Columns of ours, which stand after those of the specification. */
const own: Columns = {
  x_CacheCreationInputTokens: (charge) => charge.cache_creation_input_tokens.toString(),
  x_CacheReadInputTokens: (charge) => charge.cache_read_input_tokens.toString(),
  x_EstimatedCost: ({ estimated_nano }) => formatUsd(estimated_nano),
  x_FailedRuns: ({ failed_runs }) => failed_runs.toString(),
  x_InputTokens: ({ input_tokens }) => input_tokens.toString(),
  x_OutputTokens: ({ output_tokens }) => output_tokens.toString(),
  x_OverrunCost: ({ overrun_nano }) => formatUsd(overrun_nano),
  x_ReasoningOutputTokens: (charge) => charge.reasoning_output_tokens.toString(),
  x_Runs: ({ runs }) => runs.toString(),
  x_Value: ({ value_nano }) => formatUsd(value_nano),
}

const inOrder = (columns: Columns): Columns =>
  Object.fromEntries(Object.entries({ ...shared, ...columns }).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Columns of each version of the specification, in its order. */
export const focusColumns = {
  '1.2': {
    ...inOrder({ ProviderName: provider, PublisherName: provider, SubAccountName: () => '' }),
    ...own,
  },
  '1.4': {
    ...inOrder({
      // Nobody says on whose machines a provider runs; the specification lets it stand for its host then.
      HostProviderName: (charge) => (charge.provider === '' ? 'Not Applicable' : provider(charge)),
      ServiceProviderName: provider,
      SubAccountName: ({ department_id }) => escapeCell(department_id),
    }),
    ...own,
  },
} as const satisfies Record<string, Columns>

/** Versions of the specification in which usage is exported. */
export type FocusVersion = keyof typeof focusColumns
