import type { Schemas } from '../api/api.ts'
import {
  actionButton,
  type Content,
  counted,
  countText,
  html,
  linkButton,
  type Markup,
  money,
  note,
  nothing,
  pageHead,
  section,
} from '../components/components.ts'
import { type ConsolePage, part, shown, type Visit } from '../frame/frame.ts'
import { whoWouldNotice } from '../limit-parts/limit-parts.ts'
import { type DraftedRule, rulesPath, type ShownRule, savedDraft } from './rule-words.ts'

type Backtest = Schemas['Backtest']

const mostRules = 200

/** A back-test of a draft: what it found, and the position of the draft among the tested rules. */
export interface TestedDraft {
  readonly result: Backtest
  readonly index: number
}

/**
 * Tests a draft, as if it were on, over the runs of the last 30 days. Beside it stand the rules that let runs pass, since they can decide
 * before it; for a draft that itself lets runs pass, all rules that are on. Other refusing rules would only mix their refusals in.
 */
export async function testDraft({ api }: Visit, draft: DraftedRule, ownId?: string): Promise<TestedDraft> {
  const { data } = await api.get('/v1/orgs/{id}/policies', {
    query: {
      enabled: true,
      shadow: false,
      sort: 'priority',
      limit: mostRules,
      ...(draft.effect !== 'allow' && { effect: 'allow' }),
    },
  })
  const others = data.filter(({ id }) => id !== ownId).map(savedDraft)
  const result = await api.ask('/v1/orgs/{id}/policies/backtest', {
    body: { rules: [...others, { ...draft, enabled: true, shadow: false }] },
  })
  return { result, index: others.length }
}

/** Report of a test: what the draft would have done, who would notice, and the dearest runs. */
export function testReport({ times }: Visit, { result, index }: TestedDraft, effect: string): Markup {
  const { runs, window, by_team, examples, recorded_refusals: recorded } = result
  const own = result.by_rule.data.find((entry) => entry['index'] === index)
  const [refused, failed, saved] = [own?.refused ?? 0, own?.failed ?? 0, own?.saved_usd ?? '0']
  const stopped = examples.filter((example) => example.index === index)
  return section(
    'Had it been on for 30 days',
    html`<div class="stack gap16"><p class="lead">${
      effect === 'allow'
        ? html`It would have let pass <b>${countText(recorded?.allowed ?? 0)}</b> of ${counted(recorded?.considered ?? 0, 'attempt')} that rules refused.`
        : html`It would have ${effect === 'block' ? 'stopped' : 'asked about'} <b>${countText(refused)}</b> of ${counted(runs.considered, 'run')}${refused === 0 ? '.' : html`, which cost <b>${money(saved)}</b>.`}`
    }</p>${failed > 0 ? note('warn', `For ${counted(failed, 'run')} it fails to evaluate. A rule that fails refuses the run.`) : nothing}<p class="small dim">${times.long(window.from)} to ${times.long(window.to)}. The code that decides about live runs decided about these.</p>${
      effect === 'allow' || refused === 0
        ? nothing
        : html`${whoWouldNotice(by_team)}<h3>Dearest runs</h3><table class="t dense still"><caption class="hidden">Dearest runs that it would have refused</caption><thead class="hidden"><tr><th scope="col">Run</th><th scope="col">Team</th><th scope="col">Cost</th></tr></thead><tbody>${stopped.map(
            ({ run_id, model, department_id, cost_usd }) =>
              html`<tr><th scope="row"><a class="plain" href="/console/runs/${run_id}">${model}</a></th><td class="dim">${department_id ?? ''}</td><td class="n">${money(cost_usd, 'small')}</td></tr>`,
          )}</tbody></table>`
    }${runs.without_admission > 0 ? html`<p class="small dim">${counted(runs.without_admission, 'run')} started before there were rules, or were recorded afterwards: they are judged by what is stored of them.</p>` : nothing}</div>`,
  )
}

/** The question before a rule is switched on. A test of it is long work, so it is run when somebody asks for it. */
export const switchOnPage = (visit: Visit): Promise<ConsolePage> => showSwitchOn(visit, () => nothing)

/** The same question, with what the rule would have refused. */
export const testSwitchOn = (visit: Visit): Promise<ConsolePage> =>
  showSwitchOn(visit, async (rule) => {
    const tested = await part(testDraft(visit, savedDraft(rule), rule.id))
    if (tested.fault !== undefined && tested.fault.status < 429) throw tested.fault
    return shown(tested, visit, (found) => testReport(visit, found, rule.effect))
  })

async function showSwitchOn(
  visit: Visit,
  reportOf: (rule: ShownRule) => Content | Promise<Content>,
): Promise<ConsolePage> {
  const { api, params, formKeys, may } = visit
  const rule: ShownRule = await api.get('/v1/orgs/{id}/policies/{rule_id}', {
    path: { rule_id: params['rule_id'] ?? '' },
  })
  const report = await reportOf(rule)
  return {
    title: `Switch on ${rule.name}`,
    here: rulesPath,
    body: html`${pageHead(html`Switch on “${rule.name}”?`, 'From then on it decides about every run that it matches.')}${report}<div class="actions gap">${
      may('policies:read', 'member')
        ? actionButton(formKeys, `${rulesPath}/${rule.id}/switch-on`, 'Test it on the runs of 30 days', { kind: '' })
        : nothing
    }${
      may('policies:write', 'admin')
        ? actionButton(formKeys, `${rulesPath}/${rule.id}/state`, 'Switch it on', {
            kind: 'primary',
            fields: { to: 'on' },
          })
        : nothing
    }${linkButton(`${rulesPath}/${rule.id}`, 'Leave it as it is')}</div>`,
  }
}
