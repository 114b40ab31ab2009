import { operatorsOrgId } from '../../values/id.ts'
import { html, linkButton, liveRegion, nothing, pageHead } from '../components/components.ts'
import { type ConsolePage, type ConsoleRoutes, part, type Visit } from '../frame/frame.ts'
import { installationPage } from '../operators/operators.ts'
import { overviewFigures } from './figures.ts'
import { firstSteps } from './first-steps.ts'
import { needsYou } from './needs-you.ts'
import { type OverviewData, readOverview } from './overview-data.ts'
import { refusedByReason, runsOutNext, teamsOfMonth } from './runs-out.ts'
import { spendByModel } from './spend-by-model.ts'

/** The first page: what runs out and when, and what waits for somebody. */
export function overviewPages({ page }: ConsoleRoutes) {
  page('/console', async (visit) =>
    visit.caller.orgId === operatorsOrgId ? installationPage(visit) : overviewPage(visit),
  )
}

const whenText = ({ times, org }: Visit) =>
  html`${times.day(times.now)}, ${times.long(times.now).split(', ')[1]} in ${org.timezone}`

async function overviewPage(visit: Visit): Promise<ConsolePage> {
  const data = await readOverview(visit)
  if (await isBeforeFirstCall(data, visit))
    return live(firstSteps(visit, data.budgets?.value?.data ?? [], data.keys?.value?.data ?? []))
  return live({
    title: 'Overview',
    here: '/console',
    body: html`${pageHead(
      'Overview',
      whenText(visit),
      visit.may('usage:read')
        ? linkButton('/console/usage', 'Explore usage')
        : linkButton('/console/my-usage', 'My usage'),
      visit.may('limits:write', 'admin')
        ? linkButton('/console/budgets/new', 'New budget', { kind: 'primary', iconName: 'plus' })
        : nothing,
    )}${liveRegion('figures', ['budgets', 'refusals', 'runs'], overviewFigures(data, visit))}<div class="grid"><div class="w4">${liveRegion('needs', ['budgets', 'approvals'], needsYou(data, visit))}</div><div class="w8 ahead">${liveRegion('models', ['runs'], spendByModel(data, visit))}</div><div class="w8">${liveRegion('runs-out', ['budgets'], runsOutNext(data, visit))}</div><div class="w4">${liveRegion('refused', ['refusals'], refusedByReason(data, visit))}${liveRegion('teams', ['runs'], teamsOfMonth(data, visit))}</div></div>`,
  })
}

/** Returns the page with all of it live: the first call takes the place of the steps before it. */
const live = (page: ConsolePage): ConsolePage => ({
  ...page,
  body: liveRegion('overview', ['budgets', 'refusals', 'runs'], page.body),
})

/** True before the first run and the first refusal. */
async function isBeforeFirstCall({ models, refusals }: OverviewData, { api, may }: Visit): Promise<boolean> {
  if (models?.value === undefined || models.value.totals.runs > 0) return false
  if ((refusals?.value?.data.length ?? 0) > 0 || !may('runs:read')) return false
  const { value } = await part(api.get('/v1/runs', { query: { limit: 1 } }))
  return value !== undefined && value.data.length === 0
}
