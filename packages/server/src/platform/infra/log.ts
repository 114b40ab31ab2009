import { type DestinationStream, type Logger, pino } from 'pino'
import { currentTrace } from './trace.ts'

export type Log = Logger

const censored = '[redacted]'

/**
 * Last defence against secrets in logs. Code must not log them; this redacts those that slip into messages and error texts, in
 * any field.
 */
const secretPatterns: [RegExp, string][] = [
  [/\bweir_[0-9A-Za-z]+_[0-9A-Za-z]+/g, `weir_${censored}`],
  [/\b(whsec|whorg)_[0-9A-Za-z+/=_-]+/g, `$1_${censored}`],
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s:/@"\\]*:)[^\s@"\\]+@/gi, `$1${censored}@`],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${censored}`],
]

const scrub = (line: string) =>
  secretPatterns.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line)

const sensitiveFields = ['authorization', 'cookie', 'set-cookie', 'password', 'secret', 'token', 'pepper', 'signature']

/**
 * Serializes an error with what helps to find its cause; the row values of a database error (`detail`, `where`) may be a
 * customer's and are left out.
 */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name, message, stack, cause } = error
  const code = 'code' in error ? error.code : undefined
  return { type: name, message, code, stack, ...(cause !== undefined && { cause: serializeError(cause) }) }
}

export function createLog(options: { level: string; role: string }, destination?: DestinationStream): Log {
  return pino(
    {
      level: options.level,
      base: { role: options.role, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'message',
      errorKey: 'error',
      serializers: { error: serializeError },
      redact: {
        paths: sensitiveFields.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
        censor: censored,
      },
      mixin() {
        const trace = currentTrace()
        return trace ? { trace_id: trace.id } : {}
      },
      hooks: { streamWrite: scrub },
    },
    destination ?? pino.destination({ dest: 1, sync: true }),
  )
}
