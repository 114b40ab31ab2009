/** Reads `2026-07-22` as midnight UTC; a day that no calendar has is undefined. */
export function readDate(text: string): Date | undefined {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(Number.NaN)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) ? date : undefined
}

/** Reads `2027-12-31T23:59:59Z`; an instant that no calendar has is undefined. */
export function readInstant(text: string): Date | undefined {
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString() === text.replace(/Z$/, '.000Z') ? date : undefined
}

/** A month later is the same day of it, or the first day after it where it is too short: never less than a month. */
export function addMonths(date: Date, months: number): Date {
  const later = new Date(date)
  later.setUTCMonth(later.getUTCMonth() + months)
  return later
}
