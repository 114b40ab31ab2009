import { lastOf } from '../../values/present.ts'
import { type Detector, type Hit, isWordAt } from './hit.ts'

const maxLocal = 64
const maxDomain = 253
const localPart = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]/u
const domainPart = /[\p{L}\p{N}.-]/u
const label = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u
const topLevel = /^(?:\p{L}{2,24}|xn--[a-z0-9-]{2,58})$/iu
/** Suffixes that follow an `@` in file and package names, and end no e-mail address. */
const fileEndings = new Set(
  'png jpg jpeg gif svg webp avif ico bmp js ts tsx jsx mjs cjs css scss json yaml yml toml lock md txt html xml log zip tgz gz jar dll exe local localdomain internal lan service socket target timer mount'.split(
    ' ',
  ),
)

export const email: Detector = {
  name: 'email',
  description: 'E-mail addresses.',
  defaultThreshold: 1,
  *find(text) {
    for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
      const hit = addressAround(text, at)
      if (hit) yield hit
    }
  },
}

function addressAround(text: string, at: number): Hit | undefined {
  const end = endOfDomain(text, at + 1)
  if (end === undefined) return undefined
  const start = startOfLocal(text, at)
  if (start === undefined || isUserOfUrl(text, start, at, end)) return undefined
  return { start, end }
}

function endOfDomain(text: string, start: number): number | undefined {
  const literal = /^\[(?:IPv6:[0-9A-Fa-f:.]{2,45}|\d{1,3}(?:\.\d{1,3}){3})\]/.exec(text.slice(start, start + 60))
  if (literal) return start + literal[0].length
  let end = start
  while (end - start <= maxDomain && domainPart.test(text[end] ?? '')) end++
  // A full stop or dash at the end belongs to the sentence.
  while (end > start && /[.-]/.test(text[end - 1]!)) end--
  const labels = text.slice(start, end).split('.')
  const last = lastOf(labels)
  if (labels.length < 2 || text[end] === '@' || !labels.every((one) => label.test(one)) || !topLevel.test(last))
    return undefined
  return fileEndings.has(last.toLowerCase()) ? undefined : end
}

function startOfLocal(text: string, at: number): number | undefined {
  if (text[at - 1] === '"') {
    const open = text.lastIndexOf('"', at - 2)
    const quoted = text.slice(open + 1, at - 1)
    return open >= 0 && quoted.length > 0 && quoted.length <= maxLocal && !/[\r\n]/.test(quoted) ? open : undefined
  }
  let start = at
  while (at - start <= maxLocal && localPart.test(text[start - 1] ?? '')) start--
  // Opening quotation or list marks belong to the sentence.
  while (start < at && !isWordAt(text, start)) start++
  const local = text.slice(start, at)
  const isLocal = local !== '' && local.length <= maxLocal && !local.includes('..') && !local.endsWith('.')
  return isLocal && text[start - 1] !== '@' ? start : undefined
}

/** True for `git@host:path` and `scheme://user:password@host`, which name a location, not a person. */
function isUserOfUrl(text: string, start: number, at: number, end: number): boolean {
  if (text[end] === ':' && text.slice(start, at) === 'git') return true
  const before = text.slice(Math.max(0, start - 80), at)
  const scheme = before.lastIndexOf('://')
  return scheme >= 0 && !/\s/.test(before.slice(scheme)) && !before.slice(scheme + 3).includes('?')
}
