import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { App } from '../../contract/routes.ts'

const maxFormBytes = 8_192
/** Largest form of a page behind the sign-in: a rule is longer than a key. */
export const maxConsoleFormBytes = 65_536

/** Largest form with a file, such as a price list of all models. */
export const maxFileFormBytes = 8_388_608

/** Reads forms of at most so many characters, beside the limit of each route; a field that is sent several times becomes a list. */
export function formParser(app: App, maxLength = Number.POSITIVE_INFINITY) {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) => {
    if (text.length > maxLength) return done(new ApiError('payload_too_large'))
    const fields = Map.groupBy(new URLSearchParams(String(text)), ([name]) => name)
    const values = [...fields].map(([name, pairs]) => {
      const all = pairs.map(([, value]) => value)
      return [name, all.length > 1 ? all : all[0]]
    })
    done(null, Object.fromEntries(values))
  })
}

const maxParts = 100
const maxHeadBytes = 2_048

/** True for a form of few parts with short heads; a megabyte of either takes the parser seconds. */
function isModest(body: Buffer, type: string): boolean {
  const boundary = /boundary="?([^";,]{1,70})/i.exec(type)?.[1]
  if (boundary === undefined) return false
  const mark = Buffer.from(`--${boundary}`)
  let count = 0
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + mark.length)) {
    const start = at + mark.length
    const isLast = body.toString('latin1', start, start + 2) === '--'
    const head = body.subarray(start, start + maxHeadBytes)
    if (++count > maxParts || !(isLast || head.includes('\r\n\r\n'))) return false
  }
  return true
}

/** Reads forms with files; a file becomes its text. */
export function fileFormParser(app: App) {
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      const type = request.headers['content-type'] ?? ''
      // What cannot be read has no token either, and is refused for that.
      const fields = isModest(body, type)
        ? await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
            .formData()
            .catch(() => new FormData())
        : new FormData()
      const values: Record<string, string> = {}
      for (const [name, value] of fields) values[name] = typeof value === 'string' ? value : await value.text()
      return values
    },
  )
}

/** Options of routes that show a page, and of those that take a form. */
export const shows = { config: { urgency: 'read' } } as const
export const takesForm = { bodyLimit: maxFormBytes, config: { urgency: 'change' } } as const

export const needsHttps =
  'Sessions need HTTPS, except on localhost. Set SVC_PUBLIC_URL to the https:// address under which this service is reached.'

export const foreignForm = () =>
  new ApiError(
    'forbidden',
    {},
    { message: 'This form was not sent by a page of this service. Open the page and try again.' },
  )
