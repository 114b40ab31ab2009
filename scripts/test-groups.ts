import { globSync, readFileSync } from 'node:fs'

/**
 * Groups of test files. Most files run side by side, and those beside the code share their processes, because they load its modules once and leave nothing behind. A file that starts several processes, a Redis or a checkout of its own, raises a
 * storm, or measures time or memory takes the machine for itself: beside others it would measure them.
 */
const include = ['packages/*/{src,test}/**/*.test.ts', 'scripts/**/*.test.ts']

const signsOfLoad = [
  /from '[^']*\b(checkout|turns|installation|rate-taker|redis-servers?)\.ts'/,
  /from '[^']*(storm|walk-round)\//,
  /'pytest'/,
  /\b(cpuUsage|memoryUsage|resourceUsage|monitorEventLoopDelay|eventLoopUtilization|performance\.now)\b/,
]

const files = include.flatMap((pattern) =>
  globSync(pattern, { exclude: (name) => name === 'node_modules' || name.includes('/node_modules') }),
)

const isAlone = (file: string) => {
  const text = readFileSync(file, 'utf8')
  return signsOfLoad.some((sign) => sign.test(text))
}

const alone = files.filter(isAlone)
const others = files.filter((file) => !alone.includes(file))
/** A file beside the code that it is about. */
const isUnit = (file: string) => /^packages\/[^/]+\/src\//.test(file)

export const testGroups = { units: others.filter(isUnit), sideBySide: others.filter((file) => !isUnit(file)), alone }
