import { formatUsd, parseUsd } from '../../values/money.ts'
import type { Schemas } from '../api/api.ts'
import {
  type Content,
  counted,
  countText,
  durationText,
  type Figure,
  facts,
  figures,
  html,
  linkButton,
  type Markup,
  money,
  moneyText,
  nothing,
  pageHead,
  percentOf,
  percentText,
  section,
  shortId,
} from '../components/components.ts'
import {
  askedText,
  bindingLimits,
  decisionSentence,
  type ExplainedDecision,
  type LimitNames,
  limitsTable,
  readLimitNames,
} from '../explanations/explanations.ts'
import { type ConsolePage, keyLink, type Part, part, shown, type Visit } from '../frame/frame.ts'
import { chainTree } from './chain-tree.ts'
import { costBasisText, costSection, priceOf } from './run-cost.ts'
import { runBadge, runMs, runName, type ShownRun } from './run-words.ts'

type Chain = Schemas['Chain']

const path = '/console/runs'

/** Returns what was given back of what was held; undefined while nothing was settled. */
function givenBack({ reserved_usd: held, cost_usd: cost }: ShownRun): string | undefined {
  if (held === null || cost === null) return undefined
  const rest = parseUsd(held) - parseUsd(cost)
  return formatUsd(rest > 0n ? rest : 0n)
}

function figuresOf(run: ShownRun, chain: Chain | undefined): readonly Figure[] {
  const back = givenBack(run)
  const ms = runMs(run)
  const { cost_usd: cost, reserved_usd: held, overrun_usd: overrun } = run
  const list: Figure[] = [
    {
      label: 'Cost',
      big: cost === null ? 'not yet' : money(cost, 'small'),
      foot: costBasisText(run.cost_basis) || 'it is running',
    },
    {
      label: 'Held before',
      big: held === null ? 'nothing' : money(held, 'small'),
      foot: held === null ? 'it was recorded afterwards' : 'the most it could cost',
    },
  ]
  if (back !== undefined && held !== null)
    list.push(
      overrun !== null && parseUsd(overrun) > 0n
        ? { label: 'Over what was held', big: money(overrun, 'small'), foot: 'charged all the same' }
        : {
            label: 'Given back',
            big: money(back, 'small'),
            foot: `${percentText(percentOf(back, held))} of what was held`,
          },
    )
  list.push({ label: 'Took', big: ms === undefined ? 'running' : durationText(ms), foot: run.model })
  if (chain)
    list.push({
      label: 'Its chain',
      big: money(chain.spent_usd, 'small'),
      foot: `${chain.max_cost_usd === null ? '' : `of ${moneyText(chain.max_cost_usd)}, `}${counted(chain.nodes.length, 'run')}, ${chain.depth} deep`,
    })
  return list
}

const step = (time: string, title: Content, text: Content, amount: Content = nothing, kind = ''): Markup =>
  html`<li${kind === '' ? nothing : html` class="${kind}"`}><time>${time}</time><div>${title}${text === nothing ? nothing : html`<p>${text}</p>`}</div><span class="amt">${amount}</span></li>`

const endings: Readonly<Record<string, string>> = {
  cancelled: 'Cancelled',
  expired: 'Never reported',
  failed: 'Failed',
  succeeded: 'Settled',
}

/** Steps of a run, in their order, with what was held and charged. */
function timeline(run: ShownRun, decision: ExplainedDecision | undefined, { times }: Visit): Markup {
  const startMs = Date.parse(run.started_at)
  const after = (at: string) => `+ ${durationText(Math.max(0, Date.parse(at) - startMs))}`
  const back = givenBack(run)
  const held = decision?.reservation
  return html`<ol class="tl gap16">${step(times.exact(run.started_at), decision ? 'Asked' : 'Started', decision ? askedText(decision) || nothing : nothing)}${
    held && decision
      ? step(
          after(decision.decided_at),
          html`<b>Held</b> on ${counted(bindingLimits(decision).length, 'limit')}`,
          html`until ${times.exact(held.expires_at)}`,
          money(held.reserved_usd, 'small'),
          'key-step',
        )
      : nothing
  }${
    run.ended_at === null
      ? step('now', 'Running', run.expires_at === null ? nothing : html`its hold ends ${times.exact(run.expires_at)}`)
      : step(
          after(run.ended_at),
          html`<b>${endings[run.status] ?? run.status}</b>${run.cost_usd === null ? '' : run.cost_basis === 'estimated' ? ', charged what was held' : ' at its real cost'}`,
          run.output_tokens === null ? nothing : `${countText(run.output_tokens)} tokens came back`,
          run.cost_usd === null ? nothing : money(run.cost_usd, 'small'),
          'key-step',
        )
  }${
    back === undefined || run.ended_at === null || parseUsd(back) === 0n
      ? nothing
      : step(
          after(run.ended_at),
          'Rest given back',
          'free again for every other call',
          html`<span class="dim">${money(back, 'small')}</span>`,
        )
  }</ol>`
}

const whySection = (
  run: ShownRun,
  decision: Part<ExplainedDecision> | undefined,
  names: LimitNames,
  visit: Visit,
): Markup =>
  section(
    'Why it was allowed',
    decision === undefined
      ? html`<p class="lead-s">It was recorded after it had happened, so nothing was asked.</p>`
      : decision.fault?.status === 404
        ? html`<p class="lead-s">The explanation is no longer kept.</p>`
        : shown(
            decision,
            visit,
            (explanation) =>
              html`<p class="gapless lead-s">${decisionSentence(explanation, names)}</p>${limitsTable(bindingLimits(explanation), names, visit.times)}`,
          ),
    run.decision_id === null
      ? nothing
      : html`<a href="/console/decisions/${run.decision_id}">${shortId(run.decision_id)}</a>`,
  )

const detailsOf = (run: ShownRun): Markup => {
  const link = (name: string, value: string | null): Content =>
    value === null ? nothing : html`<a href="${path}?${name}=${encodeURIComponent(value)}">${value}</a>`
  const rows = [
    ['Workflow', link('workflow_id', run.workflow_id)],
    ['Team', link('department_id', run.department_id)],
    ['Deployment', link('deployment_id', run.deployment_id)],
    ['Customer', link('customer_id', run.customer_id)],
    ['User', link('user_id', run.user_id)],
    ['Your id', run.external_id === null ? nothing : html`<code>${run.external_id}</code>`],
    ['Provider', run.provider ?? nothing],
    ['Tags', run.tags.length === 0 ? nothing : run.tags.join(', ')],
    ['Worth', run.value_usd === null ? nothing : money(run.value_usd)],
    ...Object.entries(run.metadata).map(([name, value]) => [name, String(value)] as const),
  ] as const
  return facts(rows.filter(([, value]) => value !== nothing))
}

/** One run: what it cost, why it was let through, how its cost came about, and where it stands in its chain. */
export async function runPage(visit: Visit): Promise<ConsolePage> {
  const { api, params, times } = visit
  const run = await api.get('/v1/runs/{run_id}', { path: { run_id: params['run_id'] ?? '' } })
  const [decision, chain, names, prices] = await Promise.all([
    run.decision_id === null
      ? undefined
      : part(api.get('/v1/decisions/{decision_id}', { path: { decision_id: run.decision_id } })),
    run.chain_id === null ? undefined : part(api.get('/v1/chains/{chain_id}', { path: { chain_id: run.chain_id } })),
    readLimitNames(visit),
    part(api.get('/v1/orgs/{id}/prices', { query: { model: run.model } })),
  ])
  const price = prices.value && priceOf(prices.value, run, decision?.value?.price.price_id ?? null)
  const keyId = run.key_id
  return {
    title: runName(run),
    here: path,
    body: html`<nav class="crumbs" aria-label="Where you are"><a href="${path}">Runs</a> / ${times.exact(run.started_at)}</nav>${pageHead(
      html`${runName(run)}${run.workflow_id === null ? nothing : html` <span class="dim">in ${run.workflow_id}</span>`} ${runBadge(run.status)}`,
      html`<code>${run.id}</code>${keyId === null ? nothing : html` by ${keyLink(keyId, visit)}`}${run.customer_id === null ? nothing : html` for customer <a href="/console/customers/${encodeURIComponent(run.customer_id)}">${run.customer_id}</a>`}`,
      run.parent_run_id === null ? nothing : linkButton(`${path}/${run.parent_run_id}`, 'The run above'),
    )}${figures(figuresOf(run, chain?.value))}<div class="grid"><div class="w7">${whySection(run, decision, names, visit)}</div><div class="w5">${section('What happened', timeline(run, decision?.value, visit))}${costSection(run, price)}${section('About this run', detailsOf(run))}</div>${
      run.chain_id === null || chain === undefined
        ? nothing
        : html`<div class="w12">${section(
            'Its chain',
            shown(chain, visit, (value) => chainTree(value, run.id)),
            html`<a href="/console/chains/${encodeURIComponent(run.chain_id)}">${run.chain_id}</a>`,
          )}</div>`
    }</div>`,
  }
}
