import { parseUsd } from '../../values/money.ts'
import type { Schemas } from '../api/api.ts'
import {
  type Content,
  countText,
  html,
  type IconName,
  icon,
  linkButton,
  type Markup,
  money,
  moneyText,
  nothing,
  percentOf,
  section,
  sumUsd,
} from '../components/components.ts'
import {
  type AskedLimit,
  askedFacts,
  bindingLimits,
  decisionSentence,
  type LimitNames,
  leftBefore,
  limitPath,
  neededLimit,
  refusalText,
  refusingLimit,
  shortLimitsTable,
  tokensAsked,
} from '../explanations/explanations.ts'
import type { Visit } from '../frame/frame.ts'

export type ShownRefusal = Schemas['Refusal']
type Price = Pick<Schemas['Prices']['list_prices'][number], 'id' | 'output_usd_per_million'>

const million = 1_000_000n

/** Returns how many tokens of output would have fitted; undefined where it cannot be told, 0 where none would. */
function fittingOutput({ explanation }: ShownRefusal, limit: AskedLimit, prices: readonly Price[]): number | undefined {
  const price = prices.find(({ id }) => id === explanation.price.price_id)
  const { output } = tokensAsked(explanation)
  const left = leftBefore(limit)
  if (!price || output === undefined || left === undefined || explanation.price.basis !== 'computed') return undefined
  const rate = parseUsd(price.output_usd_per_million)
  const input = parseUsd(explanation.price.amount_usd) - (BigInt(output) * rate) / million
  const room = parseUsd(String(left).replace(/^-.*/, '0')) - input
  return rate === 0n || input < 0n ? undefined : room <= 0n ? 0 : Number((room * million) / rate)
}

const way = (iconName: IconName, title: Content, text: Content, end: Content = nothing): Markup =>
  html`<li>${icon(iconName)}<div>${title}<p>${text}</p></div><span>${end}</span></li>`

/** Ways out of a refusal by an amount: less output, later, or a higher limit. */
function waysOut(refusal: ShownRefusal, limit: AskedLimit, prices: readonly Price[], { times, may }: Visit): Content {
  const { explanation } = refusal
  const amount = money(explanation.price.amount_usd)
  const tokens = limit.unit === 'usd' ? fittingOutput(refusal, limit, prices) : undefined
  const asked = tokensAsked(explanation).output
  const path = limitPath(limit)
  const isBudget = limit.kind === 'budget' && limit.unit === 'usd'
  const ways = [
    tokens === undefined || tokens === 0 || asked === undefined
      ? nothing
      : way(
          'ok',
          html`The same call with at most <b>${countText(tokens)} output tokens</b>`,
          html`<code>max_output_tokens</code> was ${countText(asked)}.`,
          money(String(leftBefore(limit))),
        ),
    limit.period_end === null
      ? nothing
      : way(
          'clock',
          html`The same call from <b>${times.long(limit.period_end)}</b> on`,
          'The limit starts again.',
          amount,
        ),
    isBudget
      ? way(
          'up',
          html`The same call with a limit of <b>${neededLimit(limit)} or more</b>`,
          'Counted as it stood when the call was refused.',
          may('limits:write', 'admin') && path !== undefined
            ? linkButton(`${path}/edit`, 'Raise limit', { kind: 'sm' })
            : nothing,
        )
      : nothing,
  ].filter((one) => one !== nothing)
  return ways.length === 0 ? nothing : section('What would fit', html`<ul class="plain-list">${ways}</ul>`)
}

const width = (percent: number) => `${Math.min(100, Math.max(0, percent)).toFixed(2)}%`

/** The picture of a refusal: what was spent and held, what the call needed, and the limit between them. */
function fitPicture(limit: AskedLimit): Content {
  if (limit.unit !== 'usd' || limit.limit === null) return nothing
  const [bound, spent, held, attempted] = [limit.limit, limit.spent, limit.held, limit.attempted].map(String) as [
    string,
    string,
    string,
    string,
  ]
  const taken = sumUsd(spent, held)
  const total = sumUsd(taken, attempted)
  const before = percentOf(taken, total)
  const label = `${moneyText(spent)} spent and ${moneyText(held)} held of ${moneyText(bound)}; this call needed ${moneyText(attempted)}`
  return html`<div class="fit"><svg class="gauge quiet tall" role="img" aria-label="${label}"><rect class="g-track" width="100%"/><rect class="g-spent" width="${width(before)}"/><rect class="g-try" x="${width(before)}" width="${width(100 - before)}"/><line class="g-limit" x1="${width(percentOf(bound, total))}" x2="${width(percentOf(bound, total))}" y1="0" y2="100%"/></svg><p class="key"><span><svg class="sw" aria-hidden="true"><rect class="c0" width="12" height="10"/></svg>${moneyText(taken)} spent and held</span><span><svg class="sw" aria-hidden="true"><rect class="g-try" width="12" height="10"/></svg>${moneyText(attempted)} this call</span><span><svg class="sw" aria-hidden="true"><line class="g-limit" x1="6" x2="6" y1="0" y2="10"/></svg>limit, ${moneyText(bound)}</span></p></div>`
}

const ruleWay = ({ rule_id: ruleId, error_code: code }: ShownRefusal, { may }: Visit): Content => {
  if (ruleId !== null && !may('policies:read')) return nothing
  if (ruleId !== null)
    return html`<p class="gap16">${linkButton(`/console/rules/${encodeURIComponent(ruleId)}`, 'See the rule', { kind: 'sm' })} ${code === 'policy_approval_required' ? linkButton('/console/approvals', 'See the approvals', { kind: 'sm' }) : nothing}</p>`
  return code === 'validation_failed'
    ? html`<p class="gap16">${linkButton('/console/prices', 'See the prices', { kind: 'sm' })}</p>`
    : nothing
}

const explained = new Set(['policy_blocked', 'policy_approval_required', 'content_safety_blocked', 'rate_limited'])

/** One refusal: why, what would fit, what was asked, and the limits in the order in which they were asked. */
export function refusalDetail(
  refusal: ShownRefusal,
  names: LimitNames,
  prices: readonly Price[],
  visit: Visit,
): Markup {
  const { explanation, message, count, first_at: first, last_at: last, error_code: code } = refusal
  const { times } = visit
  const limit = refusingLimit(explanation)
  const limits = bindingLimits(explanation)
  return html`<article class="detail stack" aria-labelledby="why"><p class="crumbs">${times.exact(first)}${count > 1 ? ` to ${times.exact(last)}, ${countText(count)} times` : ''}, <code>${explanation.decision_id}</code></p><h2 id="why" class="lead">${decisionSentence(explanation, names, explained.has(code) ? message : undefined)}</h2>${limit ? html`${fitPicture(limit)}${waysOut(refusal, limit, prices, visit)}` : ruleWay(refusal, visit)}${section('What was asked', askedFacts(explanation, visit))}${
    limits.length === 0 ? nothing : section('Limits, in the order they were asked', shortLimitsTable(limits, names))
  }<p class="small dim">Nothing was held and nothing was charged. The caller got <code>${code}</code>: ${refusalText(code).toLowerCase()}.</p></article>`
}
