import type { IncomingMessage } from 'node:http'
import { elementAt } from '../../values/present.ts'
import { linkHeader } from '../link/link.ts'

/** Headers that concern one connection only (RFC 9110, section 7.6.1). */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** Headers of a request that whoever hands it on writes anew, and the one that only a cell may send. */
const writtenAnew = new Set(['host', 'content-length', 'expect', 'traceparent', linkHeader])

/** Returns names and values in turn, without the headers that end here: those of the connection, also as `Connection` names them. */
function endToEnd(list: readonly string[], others: ReadonlySet<string> = new Set()): string[] {
  const dropped = new Set([...hopByHop, ...others])
  for (const [name, value] of pairs(list))
    if (name.toLowerCase() === 'connection')
      for (const option of value.split(',')) dropped.add(option.trim().toLowerCase())
  return pairs(list).flatMap(([name, value]) => (dropped.has(name.toLowerCase()) ? [] : [name, value]))
}

function pairs(list: readonly string[]): [string, string][] {
  const found: [string, string][] = []
  for (let i = 0; i + 1 < list.length; i += 2) found.push([elementAt(list, i), elementAt(list, i + 1)])
  return found
}

/** Returns the headers of a request that belong to whoever answers it. */
export const requestHeaders = ({ rawHeaders }: IncomingMessage): string[] => endToEnd(rawHeaders, writtenAnew)

/** Returns the headers of an answer that belong to whoever has asked, by name; those that occur several times as a list. */
export function responseHeaders({ rawHeaders }: IncomingMessage): Map<string, string | string[]> {
  const found = new Map<string, string | string[]>()
  for (const [name, value] of pairs(endToEnd(rawHeaders))) {
    const key = name.toLowerCase()
    const before = found.get(key)
    found.set(key, before === undefined ? value : [before, value].flat())
  }
  return found
}

/** Returns path and query of a request. A target in absolute form (RFC 9112, section 3.2.2) names a host too, which is not passed on. */
export function targetOf(url: string): string {
  const path = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}
