import { type Logger, pino } from 'pino'

export type Log = Logger

/** Secrets that slipped into a message or the text of an error. Code must not log them; this is the last defence. */
const secrets: readonly [RegExp, string][] = [
  [/\bweir_[0-9A-Za-z]+_[0-9A-Za-z]+/g, 'weir_[redacted]'],
  [/\bsk-[0-9A-Za-z_-]{8,}/g, 'sk-[redacted]'],
  [/\bAIza[0-9A-Za-z_-]{20,}/g, 'AIza[redacted]'],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, '$1 [redacted]'],
]

export const createLog = (level: string): Log =>
  pino(
    {
      level,
      base: { role: 'gateway', pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'message',
      errorKey: 'error',
      hooks: {
        streamWrite: (line) => secrets.reduce((text, [pattern, instead]) => text.replace(pattern, instead), line),
      },
    },
    pino.destination({ dest: 1, sync: true }),
  )
