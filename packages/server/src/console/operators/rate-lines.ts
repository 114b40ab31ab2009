import type { Schemas } from '../api/api.ts'

type Policy = Schemas['RateLimitsInput']['policies'][number]

const form = /^(requests|tokens|quota) per (org|key|route_class|model)(?: (\S+))?: (\d+) in (\d+) s$/

/** Returns limits on rates as text, one a line: `requests per key: 600 in 60 s`. */
export const rateLines = (
  policies: readonly Omit<Schemas['RateLimits']['policies'][number], 'id' | 'created_at'>[],
): string =>
  policies
    .map(
      ({ kind, per, match, amount, window_seconds }) =>
        `${kind} per ${per}${match === null ? '' : ` ${match}`}: ${amount} in ${window_seconds} s`,
    )
    .join('\n')

/** Reads limits on rates, one a line; undefined where a line is none. */
export function readRateLines(text: string): Policy[] | undefined {
  const policies = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line): Policy | undefined => {
      const [, kind, per, match, amount, window] = form.exec(line) ?? []
      if (kind === undefined) return undefined
      return {
        kind: kind as Policy['kind'],
        per: per as Policy['per'],
        ...(match !== undefined && { match }),
        amount: Number(amount),
        window_seconds: Number(window),
      }
    })
  return policies.every((policy) => policy !== undefined) ? policies : undefined
}

/** Choices for calls while rates cannot be counted together. */
export const unavailableChoices = [
  { value: 'local', text: 'Each server counts by itself' },
  { value: 'deny', text: 'Calls are refused' },
  { value: 'allow', text: 'Calls are let through' },
] as const

export const unavailableText = (value: string): string =>
  unavailableChoices.find((choice) => choice.value === value)?.text ?? value
