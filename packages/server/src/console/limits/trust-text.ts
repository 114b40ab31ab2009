import type { Schemas } from '../api/api.ts'
import { type Content, durationText, money } from '../components/components.ts'

type Trust = Schemas['TrustSettings']

const costs: Readonly<Record<string, string>> = {
  accept: 'Taken as reported',
  raise_only: 'Counts only where it is more than the tokens cost',
  ignore: 'Not believed: the tokens count, or what was held',
}
const usages: Readonly<Record<string, string>> = {
  accept: 'Taken as reported',
  raise_only: 'Counts only where it costs more than was held',
}
const secondMs = 1_000

/** Returns how far the word of callers is taken, each setting in words. */
export const believedText = (trust: Trust): readonly (readonly [string, Content])[] => [
  ['Reported cost', costs[trust.reported_cost] ?? trust.reported_cost],
  ['Reported tokens', usages[trust.reported_usage] ?? trust.reported_usage],
  ['Held at least for', durationText(trust.min_lease_seconds * secondMs)],
  [
    'Giving back what is held',
    trust.release === 'allow' ? 'Allowed at any time' : 'Refused: it ends settled, or with its lease',
  ],
  [
    'Calls that nobody reports',
    trust.edge_expiry === 'charge' ? 'Charged at what was held' : 'Given back when the lease ends',
  ],
  [
    'Reports over a limit',
    trust.over_limit_reports === 'book' ? 'Recorded and charged; the next call is refused' : 'Refused and not recorded',
  ],
  ['Over what was held, a key and day', trust.max_overrun_usd === null ? 'any amount' : money(trust.max_overrun_usd)],
  ['Decisions at the edge', trust.start_only ? 'Refused: every call starts a run' : 'Allowed'],
  ['Input at the start of a run', trust.input_required ? 'Required' : 'Optional'],
  ['Action at the start of a run', trust.action_required ? 'Required' : 'Optional'],
]
