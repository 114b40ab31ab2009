import type { Cell } from './terminal.ts'

/** Returns dollars as people read them; what the server sent stays exact. */
export const usd = (amount: unknown): string => (typeof amount === 'string' ? `$${amount}` : '-')

/** Returns what is left of a limit as a share, with the tone of its urgency. */
export function usedShare(limit: unknown, remaining: unknown): Cell {
  if (typeof limit !== 'string' || typeof remaining !== 'string') return 'no limit'
  const whole = Number(limit)
  if (whole === 0) return { text: '100%', tone: 'bad' }
  const percent = Math.max(0, Math.round((1 - Number(remaining) / whole) * 100))
  return { text: `${percent}%`, tone: percent >= 100 ? 'bad' : percent >= 80 ? 'warning' : 'good' }
}

/** Returns a number with its noun. */
export const countOf = (count: number, noun: string, more = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : more}`

const nanosInDollar = 1_000_000_000n

/** Returns a decimal amount of dollars in whole nano-dollars. */
export function nanoUsd(amount: string): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(amount) ?? []
  const nanos = BigInt(whole) * nanosInDollar + BigInt(fraction.padEnd(9, '0') || '0')
  return sign === '-' ? -nanos : nanos
}

/** Returns nano-dollars as a decimal amount of dollars. */
export function usdOfNanos(nanos: bigint): string {
  const size = nanos < 0n ? -nanos : nanos
  const fraction = `${size % nanosInDollar}`.padStart(9, '0').replace(/0+$/, '')
  return `${nanos < 0n ? '-' : ''}${size / nanosInDollar}${fraction === '' ? '' : `.${fraction}`}`
}

export const shortTime = (time: unknown): string =>
  typeof time === 'string' ? time.replace('T', ' ').replace(/\.\d+\+00:00$/, 'Z') : '-'
