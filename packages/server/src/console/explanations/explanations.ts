import type { ConsoleRoutes } from '../frame/frame.ts'
import { decisionPage } from './decision-page.ts'

export { askedFacts, readLimitNames } from './decision-page.ts'
export {
  askedText,
  bindingLimits,
  decisionSentence,
  type ExplainedDecision,
  refusingLimit,
  tokensAsked,
} from './decision-words.ts'
export { type AskedLimit, type LimitNames, leftBefore, limitPath, neededLimit } from './limit-words.ts'
export { limitsTable, shortLimitsTable } from './limits-table.ts'
export { refusalChoices, refusalText } from './refusal-words.ts'

/** The page that explains a decision, and the words of explanations for the pages of runs and refusals. */
export function explanationPages({ page }: ConsoleRoutes) {
  page('/console/decisions/:decision_id', decisionPage)
}
