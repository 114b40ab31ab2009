import { errors } from 'undici'
import { errorCode } from '../../values/thrown.ts'
import { RefusedAddress, UnknownName } from './outbound-resolver.ts'

export type FailureKind = 'refused_address' | 'timeout' | 'connection' | 'tls' | 'dns' | 'protocol'

export interface Failure {
  readonly error: FailureKind
  /** Shown to the subscriber: it contains no address, which may be known inside only. */
  readonly message: string
}

/** Thrown when the TCP connection succeeded but the TLS handshake did not. */
export class HandshakeFailed extends Error {}

const maxMessageLength = 300

/**
 * Bounds a message: the other side can influence some, such as the names in its certificate, and half a character cannot be
 * stored.
 */
const boundMessage = (message: string) => message.replaceAll('\0', '').slice(0, maxMessageLength).toWellFormed()

export function failureOf(error: Error): Failure {
  const code = errorCode(error) ?? ''
  if (error instanceof RefusedAddress) return { error: 'refused_address', message: error.message }
  if (error instanceof UnknownName) return { error: 'dns', message: `The name does not resolve: ${error.message}.` }
  if (error instanceof HandshakeFailed || /^(ERR_SSL|ERR_TLS|EPROTO)/.test(code)) {
    return { error: 'tls', message: boundMessage(`TLS failed: ${error.message}`) }
  }
  if (code === 'ETIMEDOUT') return { error: 'timeout', message: 'The host did not accept a connection in time.' }
  if (
    error instanceof errors.HTTPParserError ||
    /^UND_ERR_(HEADERS_OVERFLOW|RES_|INVALID_ARG)/.test(code) ||
    // A response without a request, or an upgrade.
    error.message.startsWith('bad ')
  ) {
    return { error: 'protocol', message: boundMessage(`The response is not valid HTTP: ${error.message}`) }
  }
  // Messages of system calls contain the address.
  const isSystemCall = 'syscall' in error && error.syscall !== undefined
  const reason = isSystemCall || error instanceof AggregateError ? code : error.message || code
  return { error: 'connection', message: boundMessage(`The connection failed: ${reason}`) }
}
