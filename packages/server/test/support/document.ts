import type { OpenAPIV3_1 } from 'openapi-types'

type Json = Record<string, unknown>

/** The OpenAPI document that a server serves, with every reference replaced by what it stands for. */
export async function documentOf(url: string): Promise<OpenAPIV3_1.Document> {
  return dereferenced((await (await fetch(`${url}/v1/openapi.json`)).json()) as OpenAPIV3_1.Document)
}

/** A document without references. Its schemas do not refer to themselves. */
export function dereferenced(document: OpenAPIV3_1.Document): OpenAPIV3_1.Document {
  const target = (reference: string): unknown =>
    reference
      .slice(2)
      .split('/')
      .reduce<unknown>((node, part) => (node as Json)[part], document)
  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve)
    if (value === null || typeof value !== 'object') return value
    const { $ref, ...own } = value as { $ref?: unknown }
    const parts = Object.fromEntries(Object.entries(own).map(([name, part]) => [name, resolve(part)]))
    return typeof $ref === 'string' ? { ...(resolve(target($ref)) as Json), ...parts } : parts
  }
  return resolve(document) as OpenAPIV3_1.Document
}
