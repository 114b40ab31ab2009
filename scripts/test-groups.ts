import { globSync, readFileSync } from 'node:fs'

/**
 * Groups of test files. Most share a few processes, because to load the server takes longer than many of them do; each has a database of its
 * own, and `leftovers.ts` ends what it leaves behind. A file has a process of its own when it measures the CPU time or the memory of that, or
 * puts another module in the place of one; so has one that starts several processes, which waits for them most of the time. These come once
 * the others are through. Then come storms, each with servers of its own, two at a time. What judges the pace of the event loop is alone.
 */
const include = ['packages/*/{src,test}/**/*.test.ts', 'scripts/**/*.test.ts']

type Group = 'units' | 'sideBySide' | 'processes' | 'storms' | 'alone'

/** Signs of each group in the text of a file; the first that fits decides. */
const signs: readonly (readonly [Group, RegExp])[] = [
  ['alone', /from '[^']*\bevent-loop-delay\.ts'/],
  ['storms', /from '[^']*(storm|walk-round)\/(?!cluster|defences|source-)/],
  ['processes', /from '[^']*\b(checkout|cluster|installation|rate-taker|redis-servers?|turns)\.ts'/],
  ['processes', /from '[^']*disasters\//],
  ['processes', /'pytest'/],
  ['processes', /\b(cpuUsage|threadCpuUsage|memoryUsage|resourceUsage|setFlagsFromString|vi\.mock)\(/],
]

function groupOf(file: string): Group {
  const text = readFileSync(file, 'utf8')
  const [group] = signs.find(([, sign]) => sign.test(text)) ?? []
  return group ?? (/^packages\/[^/]+\/src\//.test(file) ? 'units' : 'sideBySide')
}

const files = include.flatMap((pattern) =>
  globSync(pattern, { exclude: (name) => name === 'node_modules' || name.includes('/node_modules') }),
)

export const testGroups = {
  units: [],
  sideBySide: [],
  processes: [],
  storms: [],
  alone: [],
  ...Object.groupBy(files, groupOf),
}
