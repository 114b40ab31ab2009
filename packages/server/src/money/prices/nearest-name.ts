/** Names further from each other than this have nothing in common that would help a reader. */
const leastLikeness = 0.4

/** Pairs of names that do not change; there are some thousands of them. */
const remembered = new WeakMap<readonly string[], ReadonlyMap<string, ReadonlySet<string>>>()

/** Returns the name that is most like another one, by the pairs of characters that they share; of equally near ones the shorter. */
export function nearestName(name: string, names: Iterable<string>, fixed: readonly string[]): string | undefined {
  const wanted = pairsOf(name)
  let best: { readonly name: string; readonly likeness: number } | undefined
  const compare = (each: string, pairs: ReadonlySet<string>) => {
    let shared = 0
    for (const pair of wanted) if (pairs.has(pair)) shared++
    const likeness = (2 * shared) / (wanted.size + pairs.size)
    const isBetter = likeness === best?.likeness ? each.length < best.name.length : likeness > (best?.likeness ?? 0)
    if (isBetter) best = { name: each, likeness }
  }
  for (const each of names) compare(each, pairsOf(each))
  const known = remembered.get(fixed) ?? new Map(fixed.map((each) => [each, pairsOf(each)]))
  remembered.set(fixed, known)
  for (const [each, pairs] of known) compare(each, pairs)
  return best && best.likeness >= leastLikeness ? best.name : undefined
}

/** The pairs of neighbouring characters of a name and its edges. Names are short: callers send at most 200 characters. */
function pairsOf(name: string): Set<string> {
  const text = `^${name}$`
  return new Set(Array.from({ length: text.length - 1 }, (_, i) => text.slice(i, i + 2)))
}
