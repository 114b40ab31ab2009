import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { recordIn } from '../src/values/records.ts'

/** Text for people, which types do not need and which would make them four times as long. */
const notes = new Set(['description', 'example', 'examples', 'title', 'webhooks', 'tags'])

/** Removes notes and all that answers other than successes say: a caller sees a failure as a fault of its own kind. */
function essence(value: unknown, parent = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => essence(one))
  if (typeof value !== 'object' || value === null) return value
  const isNamed = parent === 'properties' || parent === 'schemas' || parent === 'paths'
  const kept = Object.entries(recordIn(value)).filter(
    ([name]) => isNamed || (!notes.has(name) && !(parent === 'responses' && /^[345]/.test(name))),
  )
  return Object.fromEntries(kept.map(([name, one]) => [name, essence(one, isNamed ? '' : name)]))
}

/** Returns the types of the API, or of some of its paths, made from its OpenAPI document. */
export async function apiTypes(document: string, paths?: readonly string[]): Promise<string> {
  const whole = essence(JSON.parse(document)) as OpenAPI3
  const nodes = await openapiTS(paths ? onlyPaths(whole, paths) : whole, { defaultNonNullable: false })
  return `// Generated from openapi.json: pnpm generate.\n${astToString(nodes)}`
}

/** Returns a document with some paths, and the components that they lead to. */
function onlyPaths(document: OpenAPI3, names: readonly string[]): OpenAPI3 {
  const paths = Object.fromEntries(names.map((name) => [name, document.paths?.[name] ?? {}]))
  const components: Record<string, Record<string, unknown>> = {}
  const reach = (value: unknown) => {
    for (const [, kind = '', name = ''] of JSON.stringify(value).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      components[kind] ??= {}
      if (Object.hasOwn(components[kind], name)) continue
      components[kind][name] = recordIn(recordIn(document.components)[kind])[name]
      reach(components[kind][name])
    }
  }
  reach(paths)
  return { openapi: document.openapi, info: document.info, paths, components }
}
