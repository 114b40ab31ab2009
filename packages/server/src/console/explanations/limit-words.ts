import { parseUsd } from '../../values/money.ts'
import type { Schemas } from '../api/api.ts'
import { type Content, counted, countText, html, money, moneyText, sumUsd } from '../components/components.ts'

export type AskedLimit = Schemas['LimitRead']

/** Names of budgets by id, for explanations, which know ids only. */
export type LimitNames = ReadonlyMap<string, string>

const kinds: Readonly<Record<string, string>> = {
  approval: 'Approval',
  budget: 'Budget',
  budget_default: 'Default budget',
  chain: 'This chain',
  concurrency: 'Runs at once',
  concurrency_default: 'Runs at once',
  credits: 'Credits of the customer',
  customer: 'Limit of the customer',
  freeze: 'Freeze',
  plan: 'Plan',
  quota: 'Prepaid',
  spend_cap: 'Daily cap',
}

/** Returns the name of a limit in words: the budget's own, or its kind. */
export const limitName = ({ limit_id: id, kind }: AskedLimit, names: LimitNames): string =>
  names.get(id) ?? kinds[kind] ?? kind.replaceAll('_', ' ')

/** True for the limit on the levels of a chain, which is compared and not counted up. */
export const isDepth = ({ kind, unit }: Pick<AskedLimit, 'kind' | 'unit'>) => kind === 'chain' && unit === 'runs'

const isMoney = ({ unit }: Pick<AskedLimit, 'unit'>) => unit === 'usd'

/** Returns an amount of a limit in its unit: money, tokens or runs. */
export function amountText(limit: Pick<AskedLimit, 'kind' | 'unit'>, amount: string | number): Content {
  if (isMoney(limit)) return money(String(amount))
  if (isDepth(limit)) return counted(Number(amount), 'level')
  return `${countText(Number(amount))} ${limit.unit === 'tokens' ? 'tokens' : 'runs'}`
}

/** Returns one amount less others, in the unit of a limit. */
function less(limit: AskedLimit, whole: string | number, ...taken: readonly (string | number)[]): string | number {
  if (!isMoney(limit)) return taken.reduce<number>((rest, amount) => rest - Number(amount), Number(whole))
  const rest = parseUsd(String(whole)) - taken.reduce((sum, amount) => sum + parseUsd(String(amount)), 0n)
  return signedUsd(rest)
}

const nanoDigits = 9
function signedUsd(nano: bigint): string {
  const digits = String(nano < 0n ? -nano : nano).padStart(nanoDigits + 1, '0')
  return `${nano < 0n ? '-' : ''}${digits.slice(0, -nanoDigits)}.${digits.slice(-nanoDigits)}`
}

/** Returns what was left of a limit before a call; undefined where it has no limit. */
export const leftBefore = (limit: AskedLimit): string | number | undefined =>
  limit.limit === null ? undefined : less(limit, limit.limit, limit.spent, limit.held)

/** Returns what was left of a limit after a call that fitted. */
export const leftAfter = (limit: AskedLimit): string | number | undefined =>
  limit.limit === null ? undefined : less(limit, limit.limit, limit.spent, limit.held, limit.attempted)

/** Returns by how much a call was too much. */
export const excessOf = (limit: AskedLimit): string | number =>
  limit.limit === null
    ? limit.attempted
    : isDepth(limit)
      ? Number(limit.attempted) - Number(limit.limit)
      : isMoney(limit)
        ? less(limit, sumUsd(String(limit.spent), String(limit.held), String(limit.attempted)), limit.limit)
        : less(limit, Number(limit.spent) + Number(limit.held) + Number(limit.attempted), limit.limit)

/** Returns the amounts of a limit at which a refused call would have fitted. */
export const neededLimit = (limit: AskedLimit): string =>
  moneyText(sumUsd(String(limit.spent), String(limit.held), String(limit.attempted)))

/** Returns the page of a limit; undefined where it has none of its own. */
export function limitPath({ limit_id: id, kind, subject }: AskedLimit): string | undefined {
  if (kind === 'budget') return `/console/budgets/${encodeURIComponent(id)}`
  return kind === 'chain' ? `/console/chains/${encodeURIComponent(subject)}` : undefined
}

/** A limit by name, with a link to its page where it has one. */
export const limitLink = (limit: AskedLimit, names: LimitNames): Content => {
  const path = limitPath(limit)
  const name = limitName(limit, names)
  return path === undefined ? name : html`<a class="plain" href="${path}">${name}</a>`
}
