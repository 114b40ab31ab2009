import { amazonErrorMessage } from '../values/amazon-events.ts'

/** Refusals as Amazon writes errors: their type in a header, and a message. */

const types: Readonly<Record<number, string>> = {
  401: 'UnrecognizedClientException',
  402: 'ServiceQuotaExceededException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  429: 'ThrottlingException',
  502: 'InternalServerException',
  503: 'ServiceUnavailableException',
}

interface Said {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

export const amazonErrorType = (status: number): string => types[status] ?? 'ValidationException'

export const amazonBody = ({ code, message, details }: Said, sent: number): object => ({
  message,
  weir: { code, status: sent, ...details },
})

/** An error for a stream that has begun. */
export function amazonErrorEvent(refusal: Said): Buffer {
  const type = amazonErrorType(refusal.status)
  return amazonErrorMessage(type.charAt(0).toLowerCase() + type.slice(1), amazonBody(refusal, refusal.status))
}
