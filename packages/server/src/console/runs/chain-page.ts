import {
  counted,
  countText,
  type Figure,
  figures,
  gauge,
  html,
  linkButton,
  money,
  moneyText,
  note,
  nothing,
  pageHead,
  section,
} from '../components/components.ts'
import type { ConsolePage, Visit } from '../frame/frame.ts'
import { chainTree } from './chain-tree.ts'

/** A chain: what its runs have cost together, its limits, and the tree of its runs. */
export async function chainPage({ api, params, times }: Visit): Promise<ConsolePage> {
  const chain = await api.get('/v1/chains/{chain_id}', { path: { chain_id: params['chain_id'] ?? '' } })
  const { max_cost_usd: limit, spent_usd: spent, held_usd: held, max_depth: maxDepth, max_tokens: maxTokens } = chain
  const refusals = `/console/refusals?chain_id=${encodeURIComponent(chain.chain_id)}`
  const list: Figure[] = [
    {
      label: 'Cost',
      big: money(spent, 'small'),
      small: limit === null ? 'no limit' : `of ${moneyText(limit)}`,
      ...(limit !== null && { gauge: gauge({ spent, held, limit, tone: '' }) }),
      foot: html`${money(held)} held for runs that run now`,
    },
    {
      label: 'Tokens',
      big: countText(chain.spent_tokens),
      small: maxTokens === null ? 'no limit' : `of ${countText(maxTokens)}`,
      foot: `${countText(chain.held_tokens)} held`,
    },
    {
      label: 'Levels',
      big: chain.depth,
      small: maxDepth === null ? 'no limit' : `of ${maxDepth}`,
      foot: chain.truncated ? `more than ${counted(chain.nodes.length, 'run')}` : counted(chain.nodes.length, 'run'),
    },
    {
      label: 'Refused',
      big: chain.refused_count,
      small: chain.refused_count === 1 ? 'run' : 'runs',
      foot: 'in 30 days',
    },
  ]
  return {
    title: `Chain ${chain.chain_id}`,
    here: '/console/runs',
    body: html`<nav class="crumbs" aria-label="Where you are"><a href="/console/runs">Runs</a> / chain</nav>${pageHead(
      html`Chain <span class="dim">${chain.chain_id}</span>`,
      html`Begun ${times.time(chain.created_at)}, last used ${times.passed(chain.updated_at)}`,
      linkButton(`/console/runs?chain_id=${encodeURIComponent(chain.chain_id)}`, 'Its runs as a list'),
      chain.refused_count > 0 ? linkButton(refusals, 'What was refused') : nothing,
    )}${chain.exhausted_at === null ? nothing : note('warn', html`A run was refused by a limit of this chain at ${times.time(chain.exhausted_at)}.`, linkButton(refusals, 'See why', { kind: 'sm' }))}${figures(list)}${section('Runs', chainTree(chain))}`,
  }
}
