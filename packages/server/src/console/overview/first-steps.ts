import type { Schemas } from '../api/api.ts'
import { code, curl, html, icon, type Markup, note, pageHead } from '../components/components.ts'
import type { ConsolePage, Visit } from '../frame/frame.ts'

const agents = [
  ['/docs/quickstart', 'An agent of your own', 'start, call, finish'],
  ['/docs/opentelemetry', 'OpenTelemetry', 'traces that you send already'],
  ['/docs/runs', 'A log of past calls', 'up to 90 days back, in bulk'],
  ['/docs/team-budgets', 'Teams and customers', 'a budget for each of them'],
] as const

const step = (no: number, isDone: boolean, isNext: boolean, title: string, body: Markup): Markup =>
  html`<li>${isDone ? html`<span class="no done">${icon('ok')}</span>` : html`<span class="no${isNext ? ' on' : ''}">${no}</span>`}<div><h2>${title}</h2>${body}</div></li>`

/** The overview before anything has run: three steps that end in a refusal. */
export function firstSteps(
  { org, may }: Visit,
  budgets: readonly Schemas['Budget'][],
  keys: readonly Schemas['Key'][],
): ConsolePage {
  const key = keys.find(({ role }) => role === 'service')
  const [budget] = budgets
  const keyPath = `/v1/orgs/${org.id}/keys`
  return {
    title: 'Overview',
    here: '/console',
    body: html`${pageHead('Three steps to the first limit', 'Nothing runs through Weir yet. This page fills up with the first call.')}<div class="grid"><div class="w8"><ol class="steps">${step(
      1,
      key !== undefined,
      true,
      'Make a key for your agent',
      key === undefined
        ? html`<p class="dim">Its secret is shown once. ${may('keys:write', 'admin') ? html`<a href="/console/keys">Use the form</a>, or the terminal:` : 'An admin makes it:'}</p>${code('Terminal', curl('POST', keyPath, { name: 'first-agent', role: 'service', scopes: ['runs:write', 'edge:decide'], pins: { workflow_id: 'demo' } }), 'the command for a key')}`
        : html`<p class="dim">Done: <code>${key.name}</code>. Its secret was shown once.</p>`,
    )}${step(
      2,
      budget !== undefined,
      key !== undefined,
      'Give it five cents a month',
      budget === undefined
        ? html`<p class="dim">Small enough to see it stop. ${may('limits:write', 'admin') ? html`<a href="/console/budgets/new?scope_kind=workflow&amp;scope_id=demo">Use the form</a>, or the terminal:` : 'An admin does it:'}</p>${code('Terminal', curl('POST', `/v1/orgs/${org.id}/budgets`, { name: 'Demo', scope_kind: 'workflow', scope_id: 'demo', period: 'month', limit_usd: '0.05' }), 'the command for a budget')}`
        : html`<p class="dim">Done: <a href="/console/budgets/${budget.id}">${budget.name}</a>.</p>`,
    )}${step(
      3,
      false,
      key !== undefined && budget !== undefined,
      'Ask before a call',
      html`<p class="dim">The first three are allowed, the fourth is refused. Then look at <a href="/console/refusals">Refusals</a>.</p>${code('Terminal', curl('POST', '/v1/edge/decision', { model: 'gpt-4o', workflow_id: 'demo', input_tokens: 2000, max_output_tokens: 1000 }).replace('$KEY', '$AGENT_KEY'), 'the command that asks')}${note('', html`A call is on this page as soon as it has ended. <a href="/console">Look again</a>`)}`,
    )}</ol></div><div class="w4 stack"><h2>Already have agents?</h2><p class="dim">Point what you have at Weir.</p><ul class="plain-list">${agents.map(
      ([href, name, what]) => html`<li>${icon('right')}<div><a href="${href}">${name}</a><p>${what}</p></div></li>`,
    )}</ul></div></div>`,
  }
}
