import type { App } from '../contract/routes.ts'
import type { SignInHooks } from '../people/sign-in/sign-in.ts'
import type { Platform } from '../platform/infra/platform.ts'
import { approvalPages } from './approvals/approvals.ts'
import { auditLogPages } from './audit-log/audit-log.ts'
import { benchmarkPages } from './benchmarks/benchmarks.ts'
import { budgetPages } from './budgets/budgets.ts'
import { contentSafetyPages } from './content-safety/content-safety.ts'
import { customerPages } from './customers/customers.ts'
import { deprecationPages } from './deprecations/deprecations.ts'
import { explanationPages } from './explanations/explanations.ts'
import { forecastPages } from './forecasts/forecasts.ts'
import { serveConsole } from './frame/frame.ts'
import { keyPages } from './keys/keys.ts'
import { ledgerPages } from './ledger/ledger.ts'
import { limitPages } from './limits/limits.ts'
import { livePages } from './live/live.ts'
import { operatorPages } from './operators/operators.ts'
import { overviewPages } from './overview/overview.ts'
import { peoplePages } from './people/people.ts'
import { pricePages } from './prices/prices.ts'
import { reconciliationPages } from './reconciliations/reconciliations.ts'
import { refusalPages } from './refusals/refusals.ts'
import { routingPages } from './routing/routing.ts'
import { rulePages } from './rules/rules.ts'
import { runPages } from './runs/runs.ts'
import { searchPages } from './search/search.ts'
import { settingsPages } from './settings/settings.ts'
import { showbackPages } from './showback/showback.ts'
import { signInSettingsPages } from './sign-in-settings/sign-in-settings.ts'
import { usagePages } from './usage/usage.ts'
import { webhookPages } from './webhooks/webhooks.ts'

/** Serves the console: the pages of every room, behind the sign-in. */
export const consolePages = (root: App, platform: Platform, hooks: SignInHooks) =>
  serveConsole(root, platform, hooks, (routes) => {
    overviewPages(routes)
    usagePages(routes)
    showbackPages(routes)
    reconciliationPages(routes)
    forecastPages(routes)
    benchmarkPages(routes)
    searchPages(routes)
    livePages(routes)
    budgetPages(routes)
    keyPages(routes)
    peoplePages(routes)
    signInSettingsPages(routes)
    approvalPages(routes)
    limitPages(routes)
    rulePages(routes)
    routingPages(routes)
    contentSafetyPages(routes)
    webhookPages(routes)
    deprecationPages(routes)
    explanationPages(routes)
    runPages(routes)
    refusalPages(routes)
    customerPages(routes)
    pricePages(routes)
    ledgerPages(routes)
    auditLogPages(routes)
    settingsPages(routes)
    operatorPages(routes)
  })
