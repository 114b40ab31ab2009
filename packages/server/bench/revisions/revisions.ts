import { once } from 'node:events'
import { resolve } from 'node:path'
import pg from 'pg'
import { ingest } from '../ingest/ingest.ts'
import { alternate, described, type Round, ratioOf } from '../support/report.ts'
import { startApi } from '../support/server.ts'
import { deliver, startBeside, subscriptionsPerOrg, webhookSettings } from '../webhooks/webhooks.ts'
import { compareBytes } from './bytes.ts'
import { compareLoad, compareSpread, loadNames } from './decisions.ts'
import { here, makeOrg, openRevision, type Revision } from './revision.ts'

const bar = 0.95

/** What is compared, by name. */
const parts: Record<string, (now: Revision, before: Revision, smoke: boolean) => Promise<void>> = {
  ...Object.fromEntries(
    loadNames.map((name) => [
      name,
      (now: Revision, before: Revision, smoke: boolean) => compareLoad(name, now, before, smoke),
    ]),
  ),
  spread: compareSpread,
  bytes: compareBytes,
  ingest: compareIngest,
  webhooks: compareWebhooks,
}

/**
 * `pnpm bench revisions --tree DIR [--only PART,PART]`: this checkout against another one, in turns. DIR is a checkout in which
 * `scripts/setup` has run.
 */
export async function benchRevisions({ smoke, only, tree }: { smoke: boolean; only: string[]; tree: string }) {
  const chosen = only.length > 0 ? only : Object.keys(parts)
  const unknown = chosen.find((name) => !(name in parts))
  if (unknown !== undefined) throw new Error(`no part ${unknown}: ${Object.keys(parts).join(', ')}`)
  const [now, before] = [await openRevision(here), await openRevision(resolve(tree))]
  try {
    for (const name of chosen) await parts[name]!(now, before, smoke)
  } finally {
    await now.close()
    await before.close()
  }
}

/** Measures both sides in turns, after a round of each that does not count. */
async function report(
  title: string,
  smoke: boolean,
  sides: Record<'now' | 'before', (isWarmUp?: true) => Promise<Round>>,
) {
  await sides.now(true)
  await sides.before(true)
  const by = await alternate(smoke ? 1 : 5, { now: () => sides.now(), before: () => sides.before() })
  console.log(`${title}: now ${described(by.now)}`)
  console.log(`${title}: before ${described(by.before)}; ${ratioOf(by.now, by.before, { bar, smoke })}`)
}

async function compareIngest(now: Revision, before: Revision, smoke: boolean) {
  const side = ({ api, postgres, org }: Revision) =>
    ingest({ postgres, orgs: [org], server: api }, [org], smoke ? 5_000 : 50_000, 5_000)
  await report('batches of 5000 runs', smoke, { now: () => side(now), before: () => side(before) })
}

/** Workers run only here: they would fold the usage of the other parts beside what is measured. */
async function compareWebhooks(now: Revision, before: Revision, smoke: boolean) {
  const sides = [await openDelivery(now), await openDelivery(before)] as const
  const count = smoke ? 400 : 20_000
  try {
    await report('webhooks', smoke, { now: () => sides[0].deliver(count), before: () => sides[1].deliver(count) })
  } finally {
    for (const side of sides) await side.close()
  }
}

async function openDelivery({ main, postgres, send }: Revision) {
  const receiver = startBeside('./receiver.ts')
  const [port] = (await once(receiver, 'message')) as [number]
  const orgIds: string[] = []
  for (let i = 0; i < 20; i++) {
    const { id, set } = await makeOrg(send)
    for (let n = 0; n < subscriptionsPerOrg; n++)
      await set('POST', '/webhooks', { url: `http://127.0.0.1:${port}/${n}`, events: ['key.created'] })
    orgIds.push(id)
  }
  const owner = new pg.Client({ connectionString: postgres.url() })
  await owner.connect()
  const worker = await startApi(postgres, { main, role: 'worker', settings: webhookSettings })
  return {
    deliver: (count: number) => deliver({ postgres, owner, receiver, orgIds }, worker, count),
    close: async () => {
      await worker.stop()
      await owner.end()
      receiver.disconnect()
    },
  }
}
