import { setTimeout as sleep } from 'node:timers/promises'
import { isQuery, type RecordedStatement } from '../../test/support/recorded-statements.ts'
import { signIn } from '../../test/support/sessions.ts'
import { call } from '../../test/support/tenants.ts'
import type { LargeOrganization } from './organization.ts'
import type { MeasuredServer } from './pages.ts'

const sessions = 20

const isOfSession = ({ text }: RecordedStatement) => text.includes('caller_of_token(')

/** Time for which the events of an open page are kept, and a little more. */
const pollMs = 5_100

/** Reads the queries of a page that some people have open while a budget changes: all hear of it, and all read the page again. */
async function queriesOf({ url, take }: MeasuredServer, { tenant }: LargeOrganization, viewers: number, round: string) {
  const cookies: string[] = []
  for (let i = 0; i < Math.min(viewers, sessions); i++) cookies.push((await signIn(url, tenant.key)).cookie)
  const all = Array.from({ length: viewers }, (_, i) => cookies[i % cookies.length] ?? '')
  const read = async (cookie: string, path: string, revision?: string) => {
    const headers = { cookie, ...(revision !== undefined && { 'x-weir-revision': revision }) }
    const answer = await fetch(url + path, { headers })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
    return text
  }
  const { status } = await call(url, 'PUT', `/v1/orgs/${tenant.id}/customers/customer-1/limit`, {
    key: tenant.key,
    body: { limit_usd: '51', period: 'month' },
  })
  if (status >= 300) throw new Error(`a change was refused: ${status}`)
  // What the viewers before have read is over.
  await sleep(pollMs)
  await take()
  const events = await Promise.all(all.map((cookie) => read(cookie, '/console/live')))
  const revisions = Object.values(JSON.parse(/^data: (.*)$/m.exec(events[0] ?? '')?.[1] ?? '{}') as object).join('')
  // As if it were another revision each time: this one has not been read by anybody.
  const heard = `${round}${revisions}`.slice(0, revisions.length)
  await Promise.all(all.map((cookie) => read(cookie, '/console/budgets', heard)))
  const queries = (await take()).flatMap(({ statements }) => statements.filter(isQuery))
  return { ofPage: queries.filter((query) => !isOfSession(query)), ofSessions: queries.filter(isOfSession) }
}

/** A page with a hundred viewers costs the database no more than with one; that each may still see it is checked for each session. */
export async function measureViewers(server: MeasuredServer, organization: LargeOrganization) {
  const one = await queriesOf(server, organization, 1, 'one_')
  const hundred = await queriesOf(server, organization, 100, 'all_')
  const isWorse = hundred.ofPage.length > one.ofPage.length
  console.log(
    `a page that is open while a budget changes: ${one.ofPage.length} queries with 1 viewer, ${hundred.ofPage.length} with 100${isWorse ? '   ABOVE THE BAR' : ''}; ${one.ofSessions.length} and ${hundred.ofSessions.length} to check their ${sessions} sessions`,
  )
  if (isWorse) process.exitCode = 1
}
