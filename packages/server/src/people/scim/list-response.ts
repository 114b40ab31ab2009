import { recordIn } from '../../values/records.ts'
import { badValue } from './refusals.ts'

export const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
/** Most resources of one page. */
export const maxPageSize = 200
const defaultPageSize = 100
const maxStartIndex = 2_147_483_647

/** A page of a list: its first index counts from 1. */
export interface ScimPage {
  readonly startIndex: number
  readonly count: number
}

/** Reads the page that is asked for. An index below 1 is 1, a count below 0 is 0, a large count is cut (RFC 7644, section 3.4.2.4). */
export function readPage(query: unknown): ScimPage {
  const fields = recordIn(query)
  const startIndex = integerIn(fields, 'startIndex') ?? 1
  const count = integerIn(fields, 'count') ?? defaultPageSize
  return {
    startIndex: Math.min(Math.max(1, startIndex), maxStartIndex),
    count: Math.min(Math.max(0, count), maxPageSize),
  }
}

function integerIn(fields: Record<string, unknown>, name: string): number | undefined {
  const text = fields[name]
  if (text === undefined || text === '') return undefined
  if (typeof text !== 'string' || !/^-?\d{1,15}$/.test(text)) throw badValue(`${name} must be a whole number.`)
  return Number(text)
}

/** Returns a page of resources as it is on the wire. */
export const listResponse = (resources: readonly object[], totalResults: number, startIndex: number) => ({
  schemas: [listSchema],
  totalResults,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
})

const maxSelection = 2_000

/** Attributes that a request wants or does not want, by RFC 7644, section 3.9. */
export interface Projection {
  /** True when the attribute, given in lower case, is part of the answer. */
  readonly includes: (name: string) => boolean
  readonly apply: (resource: object) => object
}

const always = new Set(['id', 'schemas'])

export function readProjection(query: unknown): Projection {
  const wanted = namesIn(query, 'attributes')
  const unwanted = namesIn(query, 'excludedAttributes')
  const includes = (name: string) =>
    always.has(name) || ((wanted.size === 0 || wanted.has(name)) && !unwanted.has(name))
  return {
    includes,
    apply: (resource) => Object.fromEntries(Object.entries(resource).filter(([name]) => includes(name.toLowerCase()))),
  }
}

/** Returns the attributes that a parameter lists, in lower case, without schemas; a part stands for its whole attribute. */
function namesIn(query: unknown, parameter: string): Set<string> {
  const given = recordIn(query)[parameter]
  const text = Array.isArray(given) ? given.join(',') : typeof given === 'string' ? given : ''
  if (text.length > maxSelection) throw badValue(`${parameter} has at most ${maxSelection} characters.`)
  const names = text.split(',').map((name) => name.trim().toLowerCase())
  return new Set(names.filter((name) => name !== '').map((name) => name.replace(/^urn:.*:/, '').replace(/\..*$/, '')))
}
