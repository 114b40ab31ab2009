import { type Content, facts, html, linkButton, money, nothing, pageHead, section } from '../components/components.ts'
import { type ConsolePage, keyLink, part, type Visit } from '../frame/frame.ts'
import { askedText, bindingLimits, decisionSentence, type ExplainedDecision } from './decision-words.ts'
import type { LimitNames } from './limit-words.ts'
import { limitsTable } from './limits-table.ts'
import { refusalText } from './refusal-words.ts'

const mostNames = 200

/** Returns the names of budgets; none where the caller may not see them. */
export async function readLimitNames({ api }: Visit): Promise<LimitNames> {
  const { value } = await part(api.get('/v1/orgs/{id}/budgets', { query: { limit: mostNames } }))
  return new Map((value?.data ?? []).map(({ id, name }) => [id, name]))
}

const bases: Readonly<Record<string, string>> = {
  ceiling: 'the ceiling for models without a price',
  computed: 'its tokens at the dearest rate',
  estimate: 'what the caller estimated',
  minimum: 'the least that is held',
}

const textOf = (inputs: ExplainedDecision['inputs'], name: string): string | undefined =>
  typeof inputs[name] === 'string' ? inputs[name] : undefined

/** Facts of what a call asked for, and where its amount comes from. */
export function askedFacts(explanation: ExplainedDecision, visit: Visit): Content {
  const { inputs, price, key_id: keyId } = explanation
  const scopes = [
    ['team', 'department_id'],
    ['workflow', 'workflow_id'],
    ['deployment', 'deployment_id'],
    ['customer', 'customer_id'],
    ['user', 'user_id'],
    ['chain', 'chain_id'],
  ] as const
  const whose = scopes.flatMap(([word, name]) => {
    const value = textOf(inputs, name)
    return value === undefined ? [] : [`${word} ${value}`]
  })
  return facts([
    ['Who', keyId === null ? 'unknown' : keyLink(keyId, visit)],
    ['What', [textOf(inputs, 'model'), askedText(explanation)].filter(Boolean).join(', ') || 'not known'],
    ['For', whose.length === 0 ? 'nobody was named' : whose.join(', ')],
    [
      'Could cost',
      html`<b>${money(price.amount_usd)}</b>, from ${bases[price.basis] ?? price.basis}${price.price_id === null ? nothing : html`, price <code>${price.price_id}</code>`}`,
    ],
  ])
}

/** A decision explained: what was asked, every limit as it was read, and the answer in words. */
export async function decisionPage(visit: Visit): Promise<ConsolePage> {
  const { api, times, params } = visit
  const [explanation, names] = await Promise.all([
    api.get('/v1/decisions/{decision_id}', { path: { decision_id: params['decision_id'] ?? '' } }),
    readLimitNames(visit),
  ])
  const { decision, reservation, error_code: code } = explanation
  const limits = bindingLimits(explanation)
  const isAllowed = decision === 'allow'
  const runId = explanation.decision_id.replace(/^dec_/, 'run_')
  return {
    title: isAllowed ? 'Allowed' : refusalText(code),
    here: isAllowed ? '/console/runs' : '/console/refusals',
    body: html`${pageHead(
      isAllowed ? 'Allowed' : `Refused: ${refusalText(code).toLowerCase()}`,
      html`<code>${explanation.decision_id}</code>, ${times.exact(explanation.decided_at)}${explanation.dry_run ? ', a dry run' : ''}`,
      reservation === null ? nothing : linkButton(`/console/runs/${runId}`, 'Its run'),
    )}<p class="lead">${decisionSentence(explanation, names)}</p>${section('What was asked', askedFacts(explanation, visit))}${
      limits.length === 0 ? nothing : section('Limits, in the order they were asked', limitsTable(limits, names, times))
    }${
      reservation === null
        ? html`<p class="small dim gap16">Nothing was held and nothing was charged.${code === null ? nothing : html` The caller got <code>${code}</code>.`}</p>`
        : section(
            'What was held',
            facts([
              ['Id', html`<code>${reservation.reservation_id}</code>`],
              ['State', reservation.status],
              ['Held', money(reservation.reserved_usd)],
              ['Charged', reservation.charged_usd === null ? 'not yet' : money(reservation.charged_usd)],
              ['Over what was held', reservation.overrun_usd === null ? 'nothing' : money(reservation.overrun_usd)],
              ['Held until', times.time(reservation.expires_at)],
            ]),
          )
    }`,
  }
}
