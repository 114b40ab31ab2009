import pg from 'pg'
import { appLogin } from '../../scripts/private-services.ts'
import { type ConsoleVisitor, visitWithKey } from '../../test/support/console.ts'
import { type ConsoleRoute, crawl } from '../../test/support/console-crawl.ts'
import { isFile, maxQueries, mostQueries } from '../../test/support/page-queries.ts'
import { isQuery, type RecordedRequest } from '../../test/support/recorded-statements.ts'
import { openPage, signIn } from '../../test/support/sessions.ts'
import type { BenchPostgres } from '../support/postgres.ts'
import { median } from '../support/statistics.ts'
import { replay } from './bare-sql.ts'

const warmUpVisits = 3

/** The server under measurement, and what it has answered since it was last asked. */
export interface MeasuredServer {
  readonly url: string
  readonly take: () => Promise<RecordedRequest[]>
}

/**
 * Bars of every page. One whose SQL takes less than `smallSqlMs` is not held against it: its frame and the transactions, some milliseconds of
 * each page, are then most of it.
 */
export const bars = { queries: maxQueries, p95Ms: 150, ratio: 2, smallSqlMs: 10 }

const at = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? 0

/** Finds a page of every template that somebody comes to, and measures each: a newcomer's visit, then its bare SQL, in turn. */
export async function measurePages(
  { url, take }: MeasuredServer,
  who: string,
  key: string,
  {
    postgres,
    routes,
    visits,
    smoke,
    also = [],
    only = () => true,
  }: {
    readonly postgres: BenchPostgres
    readonly routes: readonly ConsoleRoute[]
    readonly visits: number
    /** A smoke run judges no times. */
    readonly smoke: boolean
    readonly also?: readonly string[]
    /** Tells which pages are measured. */
    readonly only?: (template: string) => boolean
  },
): Promise<ReadonlySet<string>> {
  const visitor = await visitWithKey(url, key)
  const found = smoke ? await navigationPages(visitor) : (await crawl(visitor, routes, also)).pages
  const pages = new Map([...found].filter(([template]) => only(template)))
  const bare = new pg.Client({ connectionString: postgres.url(appLogin), options: '-c jit=off' })
  await bare.connect()
  console.log(`${who}: ${pages.size} pages, ${visits} visits each`)
  console.log('queries   p50 ms   p95 ms   CPU ms   bare SQL ms   ratio   page')
  try {
    for (const [template, { address }] of pages) {
      const shown: Visited[] = []
      // Somebody else was there before: the process has compiled what the page needs.
      if (!smoke) for (let i = 0; i < warmUpVisits; i++) await visit({ url, take }, key, address, bare)
      for (let i = 0; i < visits; i++) shown.push(await visit({ url, take }, key, address, bare))
      judge(template, shown, smoke)
    }
  } finally {
    await bare.end()
  }
  return new Set(pages.keys())
}

/** Returns the pages that the navigation leads to. */
async function navigationPages({ openConsole }: ConsoleVisitor): Promise<Map<string, { address: string }>> {
  const { html } = await openConsole('/console')
  const hrefs = Array.from(html.matchAll(/<a class="item" href="([^"]*)"/g), ([, href = '']) => href)
  return new Map(hrefs.map((address) => [address, { address }]))
}

interface Visited {
  readonly page: RecordedRequest
  /** Time of the same queries alone; undefined where they failed. */
  readonly bareMs: number | undefined
}

/** Opens a page as somebody whose session the process knows, and for whom nothing else has been read yet; then runs its bare SQL. */
async function visit({ url, take }: MeasuredServer, key: string, address: string, bare: pg.Client): Promise<Visited> {
  const { cookie } = await signIn(url, key)
  await take()
  const answer = await openPage(url, address, cookie)
  await answer.text()
  const page = (await take()).find((request) => request.address === address)
  if (!page) throw new Error(`the visit to ${address} was not recorded`)
  try {
    return { page, bareMs: await replay(bare, page.statements) }
  } catch {
    await bare.query('rollback')
    return { page, bareMs: undefined }
  }
}

function judge(template: string, shown: readonly Visited[], smoke: boolean) {
  const times = shown.map(({ page }) => page.ms)
  const bareTimes = shown.flatMap(({ bareMs }) => (bareMs === undefined ? [] : [bareMs]))
  const queries = Math.max(...shown.map(({ page }) => page.statements.filter(isQuery).length))
  const [p50, p95] = [median(times), at(times, 0.95)]
  const bareMs = bareTimes.length === 0 ? Number.NaN : median(bareTimes)
  const ratio = p50 / bareMs
  const refused = shown.find(({ page }) => page.status !== 200)
  const [isPage, mostOf] = [!isFile(template), smoke ? mostQueries(template) : bars.queries]
  const faults = [
    refused && `answered ${refused.page.status}`,
    isPage && queries > mostOf && `more than ${mostOf} queries`,
    isPage && !smoke && p95 > bars.p95Ms && `p95 above ${bars.p95Ms} ms`,
    isPage && !smoke && bareMs > bars.smallSqlMs && ratio > bars.ratio && `more than ${bars.ratio} times its SQL`,
  ].filter((fault) => typeof fault === 'string')
  if (faults.length > 0) process.exitCode = 1
  const cells = [
    String(queries).padStart(7),
    p50.toFixed(1).padStart(8),
    p95.toFixed(1).padStart(8),
    median(shown.map(({ page }) => page.cpuMs))
      .toFixed(1)
      .padStart(8),
    bareMs.toFixed(1).padStart(13),
    (Number.isFinite(ratio) ? ratio.toFixed(2) : '–').padStart(7),
  ]
  console.log(`${cells.join(' ')}   ${template}${faults.length > 0 ? `   ABOVE THE BAR: ${faults.join(', ')}` : ''}`)
}
