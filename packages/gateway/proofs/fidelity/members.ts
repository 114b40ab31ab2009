/** A member of the outermost object of a JSON text, with the text of its value as it is written. */
export interface WrittenMember {
  readonly key: string
  readonly value: string
  /** All that is written for it: the spaces around too. */
  readonly whole: string
  /** The same without the value. */
  readonly around: string
}

/** Cuts the text of an object into its members, by a grammar of tokens that shares nothing with the gateway's. */
export function writtenMembers(text: string): WrittenMember[] {
  const tokens = text.match(/"(?:[^"\\]|\\[\s\S])*"|[{}[\],:]|[^\s"{}[\],:]+|\s+/g) ?? []
  const members: string[][] = []
  let depth = 0
  for (const token of tokens) {
    if (token === '}' || token === ']') depth -= 1
    if (depth > 0 && !(token === ',' && depth === 1)) members.at(-1)?.push(token)
    if (token === '{' || token === '[') depth += 1
    if ((token === '{' && depth === 1) || (token === ',' && depth === 1)) members.push([])
  }
  return members.flatMap((own) => {
    const colon = own.indexOf(':')
    if (colon < 0) return []
    const key = JSON.parse(own.slice(0, colon).join('')) as string
    const [name, rest] = [own.slice(0, colon + 1).join(''), own.slice(colon + 1).join('')]
    const value = rest.trim()
    return [{ key, value, whole: own.join(''), around: name + rest.replace(value, '') }]
  })
}

/** True for an object whose members are as they were, but for a maximum under one of its names. */
function isBoundedBy(...names: readonly string[]) {
  const rest = (text: string) => writtenMembers(text).filter(({ key }) => !names.includes(key))
  return (before = '{}', after: string) => {
    const old = before === 'null' ? '{}' : before
    const maxima = writtenMembers(after).filter(({ key }) => names.includes(key))
    const isSame = rest(old).every(({ whole }, i) => rest(after)[i]?.whole === whole)
    return isSame && rest(old).length === rest(after).length && maxima.length === 1 && /^\d+$/.test(maxima[0]!.value)
  }
}

/** Members that the gateway may write, in each dialect, and what it may write there. */
const edited: Readonly<Record<string, (before: string | undefined, after: string) => boolean>> = {
  max_tokens: (_, after) => /^\d+$/.test(after),
  max_completion_tokens: (_, after) => /^\d+$/.test(after),
  max_output_tokens: (_, after) => /^\d+$/.test(after),
  generationConfig: isBoundedBy('maxOutputTokens', 'max_output_tokens'),
  generation_config: isBoundedBy('maxOutputTokens', 'max_output_tokens'),
  stream_options: (before, after) => {
    const asked = JSON.parse(before ?? '{}') as object
    return (
      JSON.stringify(sorted({ ...asked, include_usage: true })) === JSON.stringify(sorted(JSON.parse(after) as object))
    )
  },
}

const sorted = (value: object) => Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))

/** Returns what differs between a request and the one that arrived, other than what the gateway may write; undefined where nothing does. */
export function differenceOf(sent: string, arrived: string): string | undefined {
  if (sent === arrived) return undefined
  const [before, after] = [writtenMembers(sent), writtenMembers(arrived)]
  const added = after.length - before.length
  for (const [i, member] of after.entries()) {
    const old = before[i - added]
    if (old?.whole === member.whole) continue
    const isAllowed = edited[member.key]?.(old?.value, member.value) === true && (i < added || old?.key === member.key)
    if (!isAllowed) return `member ${i}: ${old?.whole ?? 'nothing'} became ${member.whole}`
    // Around the value not even a space may move.
    if (old !== undefined && old.around !== member.around) return `the spaces around ${member.key} are others`
  }
  return undefined
}
