import {
  type BadgeKind,
  freeOf,
  html,
  type IconName,
  type Markup,
  money,
  moneyText,
  percentOf,
  sumUsd,
  type Tone,
} from '../components/components.ts'

/** Amounts of a limit in dollars, as the API shows them of budgets, customers and the spend cap. */
export interface LimitAmounts {
  readonly limit_usd: string | null
  readonly spent_usd: string
  readonly held_usd: string
  readonly exhausted_at: string | null
  readonly thresholds?: readonly number[]
  readonly enforcement?: string
}

/** State of a limit, in the words of the console. */
export interface LimitState {
  readonly text: string
  readonly tone: Tone
  readonly badge: BadgeKind
  readonly icon?: IconName
}

const nearlyPercent = 90

/** Returns the state of a limit. Colour means that somebody must act: a limit on track has none. */
export function stateOf(amounts: LimitAmounts, noun = 'budget'): LimitState {
  const { limit_usd: limit, spent_usd: spent, held_usd: held, thresholds = [], exhausted_at: exhaustedAt } = amounts
  if (limit === null) return { text: 'No limit', tone: 'quiet', badge: 'line' }
  if (amounts.enforcement === 'alert') return { text: 'Only alerts', tone: 'quiet', badge: 'info' }
  const warnAt = Math.max(...thresholds.filter((percent) => percent < 100), nearlyPercent)
  const isNearly = percentOf(sumUsd(spent, held), limit) >= warnAt
  if (exhaustedAt !== null) {
    const free = freeOf({ spent, held, limit })
    // A large call was refused, and smaller ones still fit.
    const text = isUsedUp(free) ? `Stopped: ${noun} used up` : `Refuses calls over ${moneyText(free)}`
    return isNearly || isUsedUp(free)
      ? { text, tone: 'stop', badge: 'loud', icon: 'stop' }
      : { text, tone: 'warn', badge: 'warn', icon: 'warn' }
  }
  return isNearly
    ? { text: 'Nearly used up', tone: 'warn', badge: 'warn', icon: 'warn' }
    : { text: 'On track', tone: '', badge: '' }
}

const isUsedUp = (free: string) => /^(-.*|0(\.0*)?)$/.test(free)

export const isStopped = (amounts: LimitAmounts): boolean => stateOf(amounts).tone === 'stop'

/** Returns spent and held in a line: `$12.00 spent + $1.00 held`. */
export const spentText = ({ spent_usd: spent, held_usd: held }: LimitAmounts): Markup =>
  html`${money(spent)} spent${/^0(\.0+)?$/.test(held) ? '' : html` + ${money(held)} held`}`

const kinds: Readonly<Record<string, string>> = {
  org: 'organization',
  department: 'team',
}

/** Returns the word for what a limit covers: a team, a workflow. */
export const kindText = (kind: string): string => (Object.hasOwn(kinds, kind) ? (kinds[kind] ?? kind) : kind)

/** Returns a kind of what a limit covers as a choice. */
export const kindChoice = (value: string) => ({
  value,
  text: kindText(value).replace(/^./, (letter) => letter.toUpperCase()),
})

/** Kinds of what a budget can cover, with their words. */
export const coverChoices = (
  ['org', 'department', 'workflow', 'deployment', 'user', 'key', 'provider', 'model', 'tag'] as const
).map(kindChoice)
