import { type FieldFault, validationFailed } from '../../contract/errors.ts'
import { type App, isContractPath, reasonHeader, takesReason } from '../../contract/routes.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Reason that the caller gives for a change, for the audit log. */
    reason: string | null
  }
  interface FastifyContextConfig {
    takesReason?: boolean
  }
}

const maxLength = 500
/** Characters that a header can carry; everything else is percent-encoded. */
const carried = /^[\x20-\x7e]*$/
/** Characters that print, and do not change the direction of what stands beside them in a log. */
const printable = /^[^\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u

const fault = (message: string): FieldFault => ({ field: reasonHeader, code: 'invalid_format', message })

/** Returns the reason that a header gives, or what is wrong with it. */
export function parseReason(text: string): string | FieldFault {
  const decoded = carried.test(text) ? decode(text)?.trim() : undefined
  if (decoded === undefined)
    return fault('Must be printable ASCII; write other characters, and "%" itself, as percent-encoded UTF-8.')
  const length = Array.from(decoded).length
  if (length === 0 || length > maxLength) return fault(`Must have 1 to ${maxLength} characters that are not all blank.`)
  return printable.test(decoded) ? decoded : fault('Must have printable characters only.')
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Reads the reason of a change from its header, and refuses one that the audit log could not show. */
export function readReasons(app: App) {
  app.decorateRequest('reason', null)
  app.addHook('onRoute', (options) => {
    const { config = {}, method, url } = options
    const takes = isContractPath(url) && [method].flat().every((one) => takesReason(one, config))
    options.config = { ...config, takesReason: takes }
  })
  app.addHook('onRequest', (request, _reply, done) => {
    const text = request.headers[reasonHeader.toLowerCase()]
    if (text === undefined || !request.principal || request.route.takesReason !== true) return done()
    const reason = parseReason([text].flat().join(', '))
    if (typeof reason !== 'string') return done(validationFailed([reason]))
    request.reason = reason
    done()
  })
}
