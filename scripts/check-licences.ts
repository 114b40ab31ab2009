import { execFileSync } from 'node:child_process'

/** Refuses a runtime dependency whose licence would bind what is built with this project. */
const allowed = new Set([
  'MIT',
  'MIT-0',
  'Apache-2.0',
  'MIT OR Apache-2.0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Python-2.0',
  '(MIT OR CC0-1.0)',
])

const report = execFileSync('pnpm', ['-r', 'licenses', 'list', '--json', '--prod'], { encoding: 'utf8' })
const byLicence = JSON.parse(report) as Record<string, { name: string }[]>
const total = Object.values(byLicence).flat().length
const refused = Object.entries(byLicence).filter(([licence]) => !allowed.has(licence))
for (const [licence, packages] of refused) console.error(`${licence}: ${packages.map(({ name }) => name).join(', ')}`)
if (total === 0) console.error('no licence was reported at all')
process.exitCode = refused.length > 0 || total === 0 ? 1 : 0
