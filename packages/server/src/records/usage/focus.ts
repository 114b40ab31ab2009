import type { TimeWindow } from '../../contract/lists.ts'
import type { Sql } from '../../platform/infra/sql.ts'
import { findOrg } from '../../tenants/orgs/orgs.ts'
import { csvLine, escapeCell } from '../../values/csv.ts'
import { formatId } from '../../values/id.ts'
import { formatUsd } from '../../values/money.ts'
import { utcMidnight } from './granules.ts'
import { type DimensionRow, type Filters, readDay } from './queries.ts'

/**
 * The FinOps Open Cost and Usage Specification, version 1.2: usage by UTC day, for tools that compare it with other costs. The
 * columns it requires, those of its conditional ones that a run can fill, and then our own.
 */

interface FocusCharge extends DimensionRow {
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

/** The columns of the export; an empty field is null. */
const columns: Record<string, (charge: FocusCharge) => string> = {
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
  ProviderName: provider,
  PublisherName: provider,
  ResourceId: ({ deployment_id }) => escapeCell(deployment_id),
  ResourceName: () => '',
  ResourceType: ({ deployment_id }) => whenThere(deployment_id, 'Deployment'),
  ServiceCategory: () => 'AI and Machine Learning',
  ServiceName: () => 'Model Inference',
  ServiceSubcategory: () => 'Generative AI',
  SkuId: ({ model }) => escapeCell(model),
  SkuMeter: () => 'Model Inference',
  SubAccountId: ({ department_id }) => escapeCell(department_id),
  SubAccountName: () => '',
  SubAccountType: ({ department_id }) => whenThere(department_id, 'Department'),
  Tags: tags,
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

const pageRows = 500

/** Exports the usage of whole UTC days, a page at a time: a slow reader keeps nothing in memory but one page. */
export async function* exportFocus(
  sql: Sql,
  orgId: string,
  { from, to }: TimeWindow,
  filters: Filters = {},
  rowsOnPage = pageRows,
): AsyncGenerator<string, void, undefined> {
  const org = await sql.asOrgs([orgId], (tx) => findOrg(tx, orgId))
  const account = { id: formatId('org', orgId), name: org?.name ?? '' }
  yield csvLine(Object.keys(columns))
  for (let day = from; day < to; day = utcMidnight(day, 1)) {
    const window = { from: day, to: utcMidnight(day, 1) }
    for (let after: DimensionRow | undefined, isLast = false; !isLast; ) {
      const rows = await sql.asOrgs([orgId], (tx) => readDay(tx, orgId, { window, filters, after, limit: rowsOnPage }))
      const text = rows.map((row) => lineOf({ ...row, day, account })).join('')
      if (text !== '') yield text
      after = rows.at(-1)
      isLast = rows.length < rowsOnPage
    }
  }
}

const lineOf = (charge: FocusCharge) => csvLine(Object.values(columns).map((column) => column(charge)))
