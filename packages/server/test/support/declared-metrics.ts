import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { collectDefaultMetrics, Registry } from 'prom-client'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** What Prometheus adds to every series that it scrapes. */
const scrapeLabels = ['instance', 'job']

/**
 * Returns every series that the code of server and gateway can expose, with its labels as they are once scraped: what the code
 * calls `job` is `exported_job` then.
 */
export async function declaredSeries(): Promise<Map<string, ReadonlySet<string>>> {
  const series = new Map<string, ReadonlySet<string>>([
    ['up', new Set(scrapeLabels)],
    ['ALERTS', new Set(['alertname', 'alertstate'])],
  ])
  const declare = (name: string, type: string, labels: readonly string[]) => {
    const scraped = [...labels.map((label) => (label === 'job' ? 'exported_job' : label)), ...scrapeLabels]
    if (type !== 'histogram') series.set(name, new Set(scraped))
    else
      for (const suffix of ['bucket', 'sum', 'count'])
        series.set(`${name}_${suffix}`, new Set(suffix === 'bucket' ? [...scraped, 'le'] : scraped))
  }
  for (const { name, type, labels } of ownMetrics()) declare(name, type, labels)
  const defaults = new Registry()
  collectDefaultMetrics({ register: defaults })
  for (const { name, type } of await defaults.getMetricsAsJSON()) declare(name, String(type), [])
  return series
}

/** Reads the declarations from the source: a name that begins as ours do, inside the options of a metric. */
function ownMetrics() {
  const files = globSync('packages/{server,gateway}/src/**/*.ts', { cwd: root })
  return files.flatMap((file) => {
    const text = readFileSync(`${root}/${file}`, 'utf8')
    const found = text.matchAll(
      /(new )?(\w+)(?:<[^>]*>)?\((?:\w+, )?\{\s*name: '((?:svc|weir_gateway)_\w+)'([\s\S]*?)\n?\s*\}\)/g,
    )
    return [...found].map(([, , maker = '', name = '', options = '']) => ({
      name,
      type: /histogram/i.test(maker) ? 'histogram' : 'other',
      labels: [...(/labelNames: \[([^\]]*)\]/.exec(options)?.[1] ?? '').matchAll(/'(\w+)'/g)].map(
        ([, label]) => label!,
      ),
    }))
  })
}

/** Counts how often the source names a metric of ours where it declares one: a check that the reading above finds them all. */
export const namedMetrics = (): string[] =>
  globSync('packages/{server,gateway}/src/**/*.ts', { cwd: root }).flatMap((file) =>
    [...readFileSync(`${root}/${file}`, 'utf8').matchAll(/name: '((?:svc|weir_gateway)_\w+)'/g)].map(
      ([, name]) => name!,
    ),
  )
