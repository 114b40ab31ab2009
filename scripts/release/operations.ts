import { type Document, methods, type Operation, type Response } from './document.ts'
import { type Direction, narrowings } from './narrowing.ts'

/** What a document promises beyond paths, parameters and statuses, which oasdiff holds; both in canonical spelling. */
export function operationFaults(released: Document, current: Document): string[] {
  return Object.entries(released.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const before = item[method]
      const after = current.paths[path]?.[method]
      if (!before || !after) return []
      const place = `${method.toUpperCase()} ${path}`
      return [
        ...accessFaults(released, before, current, after),
        ...parameterFaults(before, after),
        ...contentFaults(before.requestBody?.content, after.requestBody?.content, 'request', 'the body'),
        ...responseFaults(before, after),
      ].map((fault) => `${place}: ${fault}`)
    }),
  )
}

/** A key that was good enough stays good enough. */
function accessFaults(released: Document, before: Operation, current: Document, after: Operation): string[] {
  const accepted = waysIn(current, after)
  const isOpen = (way: string[]) => accepted.some((other) => other.every((need) => way.includes(need)))
  const scopeOf = (operation: Operation) => JSON.stringify(operation['x-scope'])
  return [
    ...(waysIn(released, before).every(isOpen) ? [] : ['asks for credentials that it did not ask for']),
    ...(scopeOf(after) === undefined || scopeOf(after) === scopeOf(before)
      ? []
      : [`asks for another scope: ${scopeOf(after)}`]),
  ]
}

/** Each alternative as the list of its needs: the scheme itself, not its name, which means nothing on the wire. */
function waysIn(document: Document, operation: Operation): string[][] {
  const requirements = operation.security ?? document.security ?? []
  if (requirements.length === 0) return [[]]
  return requirements.map((requirement) =>
    Object.entries(requirement).flatMap(([name, scopes]) => {
      const { description: _, ...scheme } = document.components?.securitySchemes?.[name] ?? {}
      return [JSON.stringify(scheme), ...scopes.map((scope) => JSON.stringify([scheme, scope]))]
    }),
  )
}

function parameterFaults(before: Operation, after: Operation): string[] {
  return (before.parameters ?? []).flatMap((parameter) => {
    const now = after.parameters?.find((other) => other.name === parameter.name && other.in === parameter.in)
    if (!now) return []
    const place = `the ${parameter.in} parameter ${parameter.name}`
    const spelling = (p: object) =>
      JSON.stringify(['style', 'explode', 'allowReserved'].map((key) => (p as Record<string, unknown>)[key]))
    return [
      ...(spelling(parameter) === spelling(now) ? [] : [`${place} is spelled another way`]),
      ...narrowings(parameter.schema ?? {}, now.schema ?? {}, 'request', place),
    ]
  })
}

function contentFaults(
  before: Response['content'],
  after: Response['content'],
  direction: Direction,
  place: string,
): string[] {
  return Object.entries(before ?? {}).flatMap(([mediaType, media]) => {
    const now = after?.[mediaType]
    return now ? narrowings(media.schema ?? {}, now.schema ?? {}, direction, place) : []
  })
}

function responseFaults(before: Operation, after: Operation): string[] {
  return Object.entries(before.responses ?? {}).flatMap(([status, response]) => {
    const now = after.responses?.[status]
    if (!now) return []
    const codes = now['x-error-codes'] ?? []
    const headers = Object.entries(response.headers ?? {}).flatMap(([name, header]) => {
      const other = now.headers?.[name]
      return other
        ? narrowings(header.schema ?? {}, other.schema ?? {}, 'response', `the ${status} header ${name}`)
        : []
    })
    return [
      ...(response['x-error-codes'] ?? [])
        .filter((code) => !codes.includes(code))
        .map((code) => `${status} lost the error code ${code}`),
      ...contentFaults(response.content, now.content, 'response', `the ${status} response`),
      ...headers,
    ]
  })
}
