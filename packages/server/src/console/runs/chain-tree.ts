import type { Schemas } from '../api/api.ts'
import {
  badge,
  type Content,
  durationText,
  html,
  type Markup,
  money,
  nothing,
  percentOf,
  shareBar,
} from '../components/components.ts'
import { runBadge, runMs, runName, runStateText } from './run-words.ts'

type Chain = Schemas['Chain']
type Node = Chain['nodes'][number]

const deepest = 5

const headings = html`<thead><tr><th scope="col">Run</th><th scope="col" class="wide-only">Model</th><th scope="col" class="wide-only">State</th><th scope="col" class="n wide-only">Took</th><th scope="col" class="n wide-only">Own cost</th><th scope="col" class="n">With children</th><th scope="col" class="w-share wide-only">Share of the chain</th></tr></thead>`

function nodeRow(node: Node, spent: string, hereId: string | undefined): Markup {
  const isHere = node.id === hereId
  const ms = runMs(node)
  const name = isHere
    ? html`${runName(node)} ${badge('this run', 'line')}`
    : html`<a class="plain" href="/console/runs/${node.id}">${runName(node)}</a>`
  const isRunning = node.cost_usd === null
  const together: Content =
    isRunning && node.reserved_usd !== null
      ? html`<span class="dim">${money(node.reserved_usd, 'small')} held</span>`
      : money(node.subtree_cost_usd, 'small')
  return html`<tr${isHere ? html` class="is-this" aria-current="true"` : nothing}><th scope="row" class="d${Math.min(node.depth, deepest)}"><span class="br">${name}</span>${isRunning ? html`<span class="sub narrow-only">${runStateText(node.status).toLowerCase()}</span>` : nothing}</th><td class="wide-only"><span class="dim">${node.model}</span></td><td class="wide-only">${runBadge(node.status)}</td><td class="n wide-only">${ms === undefined ? nothing : durationText(ms)}</td><td class="n wide-only">${node.cost_usd === null ? nothing : money(node.cost_usd, 'small')}</td><td class="n">${together}</td><td class="wide-only">${shareBar(percentOf(node.subtree_cost_usd, spent))}</td></tr>`
}

/** The runs of a chain as a tree: each is followed by those below it. */
export const chainTree = ({ nodes, spent_usd: spent, truncated }: Chain, hereId?: string): Markup =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="Runs of the chain"><table class="t dense tree inset">${headings}<tbody>${nodes.map((node) => nodeRow(node, spent, hereId))}</tbody></table></div>${truncated ? html`<p class="small dim">These are its first ${nodes.length} runs.</p>` : nothing}`
