import type { Drill } from '../drill.ts'
import { decisions } from './decisions.ts'
import { gateway } from './gateway.ts'
import { ledger } from './ledger.ts'
import { objectives } from './objectives.ts'
import { processes } from './processes.ts'
import { records } from './records.ts'
import { regions, webhooks } from './webhooks.ts'

/** All drills. Those of the objectives come first: what fails on purpose later is in their ratios for long. */
export const drills: readonly Drill[] = [
  ...objectives,
  ...processes,
  ...decisions,
  ...ledger,
  ...records,
  ...webhooks,
  ...regions,
  ...gateway,
]
