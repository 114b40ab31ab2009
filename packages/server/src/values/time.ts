/** Lengths of time in milliseconds. A day here is one of UTC: days of other time zones are in `period.ts`. */
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** Formats a time for the database and for names of UTC days; `/v1` has its own format, `timestamp`. */
export const isoOf = (ms: number): string => new Date(ms).toISOString()

/** True when all of these times are full hours of UTC. */
export const areWholeHours = (times: readonly Date[]): boolean => times.every((time) => time.getTime() % hourMs === 0)
