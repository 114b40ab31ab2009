import { globSync, readFileSync } from 'node:fs'

/**
 * Groups of test files. Most files run side by side, and those beside the code share their processes, because they load its modules once
 * and leave nothing behind. A file that starts several processes waits for them most of the time, so two of those run side by side once the
 * others are through. One that has a Redis of its own, raises a storm, or measures time or memory takes the machine for itself: beside
 * others it would measure them.
 */
const include = ['packages/*/{src,test}/**/*.test.ts', 'scripts/**/*.test.ts']

const signsOfProcesses = [/from '[^']*\b(checkout|installation)\.ts'/, /'pytest'/]

const signsOfMeasuring = [
  /from '[^']*\b(turns|rate-taker|redis-servers?)\.ts'/,
  /from '[^']*(storm|walk-round)\//,
  /\b(cpuUsage|memoryUsage|resourceUsage|monitorEventLoopDelay|eventLoopUtilization|performance\.now)\b/,
]

function groupOf(file: string): 'units' | 'sideBySide' | 'processes' | 'alone' {
  const text = readFileSync(file, 'utf8')
  if (signsOfMeasuring.some((sign) => sign.test(text))) return 'alone'
  if (signsOfProcesses.some((sign) => sign.test(text))) return 'processes'
  return /^packages\/[^/]+\/src\//.test(file) ? 'units' : 'sideBySide'
}

const files = include.flatMap((pattern) =>
  globSync(pattern, { exclude: (name) => name === 'node_modules' || name.includes('/node_modules') }),
)

export const testGroups = { units: [], sideBySide: [], processes: [], alone: [], ...Object.groupBy(files, groupOf) }
