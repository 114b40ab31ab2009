import type { ConsoleRoutes } from '../frame/frame.ts'
import { switchOnPage, testSwitchOn } from './rule-backtest.ts'
import { ruleList } from './rule-list.ts'
import { matchList } from './rule-matches.ts'
import {
  changeRule,
  checkRule,
  createRule,
  deleteRule,
  deleteRulePage,
  newRulePage,
  rulePage,
  switchRule,
} from './rule-page.ts'
import { trialPage } from './rule-trial.ts'

/** Pages of rules: the list, the editor with its tests, matches, and a run to try them on. */
export function rulePages({ page, action }: ConsoleRoutes) {
  page('/console/rules', ruleList)
  page('/console/rules/new', async (visit) => newRulePage(visit))
  page('/console/rules/try', trialPage)
  action('/console/rules', createRule)
  action('/console/rules/check', checkRule)
  page('/console/rules/:rule_id', rulePage)
  action('/console/rules/:rule_id', changeRule)
  action('/console/rules/:rule_id/check', checkRule)
  page('/console/rules/:rule_id/matches', matchList)
  page('/console/rules/:rule_id/switch-on', switchOnPage)
  action('/console/rules/:rule_id/switch-on', testSwitchOn)
  action('/console/rules/:rule_id/state', switchRule)
  page('/console/rules/:rule_id/delete', deleteRulePage)
  action('/console/rules/:rule_id/delete', deleteRule)
}
