import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatUsd } from '../../src/values/money.ts'
import { call } from '../../test/support/call.ts'
import { eventually } from '../../test/support/programs.ts'
import { copyServer, makeFolder, makeServer, type PostgresServer, runAsService } from '../support/postgres-server.ts'
import { type Calls, faultsOfCalls, readRuns } from './calls.ts'
import { type DrillOptions, type DrillReport, openDrill, withClosing } from './drill.ts'
import { type DrillTenant, faultsOfBooks, type Site, startEmptyRedis, startSite } from './installation.ts'
import { startReceiver } from './receiver.ts'

/**
 * The drill of a restore: a base backup and the archived log of a database in which money moves, restored on another machine to a moment
 * under load. What callers were told before the moment must be there to the nano-dollar, and nothing of what came after it.
 */

export interface RestoreReport extends DrillReport {
  /** What became of single things that happened around the moment, by their names. */
  readonly found: Readonly<Record<string, unknown>>
}

export interface RestoreOptions extends DrillOptions {
  /** Breaks the drill, to see that it notices: `late` restores everything that is in the archive. */
  readonly bug?: 'late'
}

export const drillRestore = (options: RestoreOptions): Promise<RestoreReport> =>
  withClosing(async (closing) => {
    const archive = makeFolder()
    closing.push(() => rmSync(archive, { recursive: true, force: true }))
    const primary = await makeServer({
      settings: { archive_mode: 'on', archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f` },
    })
    closing.push(() => primary.close())
    await primary.start()
    const receiver = await startReceiver()
    closing.push(receiver.close)
    const { way, site, tenant, calls } = await openDrill(closing, primary, options)

    const restored = await copyServer(primary, {
      settings: { restore_command: `cp ${archive}/%f %p`, recovery_target_action: 'promote' },
    })
    closing.push(() => restored.close())
    await runAsService('pg_verifybackup', ['--exit-on-error', restored.data])
    const scene = await openScene(site, tenant, receiver)
    await sleep(options.seconds * 500)
    await calls.goOn()

    const before = await scene.beforeMoment()
    const momentMs = await aMoment()
    const after = await scene.afterMoment()
    await calls.goOn()
    await sleep(options.seconds * 500)
    const heads = await exportHeads(primary, site)
    await archiveAll(primary)
    await calls.end()
    await site.close()
    await primary.lose()

    const lostMs = performance.now()
    writeFileSync(join(restored.data, 'recovery.signal'), '')
    await restored.start(
      options.bug === 'late' ? {} : { recovery_target_time: new Date(momentMs).toISOString().replace('Z', '+00') },
    )
    await eventually(async () => {
      const [row] = await restored.ask<{ standby: boolean }>('select pg_is_in_recovery() as standby')
      return row?.standby === false
    })
    const recoveredMs = performance.now()
    way.leadTo(restored)
    const redis = await startEmptyRedis()
    closing.push(redis.close)
    const again = await startSite({ server: restored, through: way.port, redisUrl: redis.url, apis: 1 })
    closing.push(again.close)
    const balance = await faultsOfBooks(again)
    const verifiedMs = performance.now()
    const runs = await readRuns(again.urls[0]!, tenant)
    const isLost = ({ started }: Calls['records'][number]) => started !== undefined && started.atMs >= momentMs
    const lost = calls.records.filter(isLost)
    const billedNano = lost.reduce((sum, { billedNano: bill = 0n }) => sum + bill, 0n)
    const scenery = await scene.found(again, before, after)
    const audit = await auditAfter(again, tenant, heads, momentMs)
    const seconds = (ms: number) => (ms / 1_000).toFixed(1)
    return {
      faults: [...balance, ...calls.surprises, ...faultsOfCalls(calls.records, runs, momentMs), ...audit.faults],
      figures: {
        'calls acknowledged before the moment': calls.records.filter(
          ({ started }) => started !== undefined && started.atMs < momentMs,
        ).length,
        'calls acknowledged after it': lost.length,
        'what the provider bills for those': `$${formatUsd(billedNano)}`,
        'recovered, in seconds': seconds(recoveredMs - lostMs),
        'serving and verified, in seconds': seconds(verifiedMs - lostMs),
      },
      found: { ...scenery, ...audit.found },
    }
  })

/** A moment with whole milliseconds around it in which nothing is sent by the scene. */
async function aMoment(): Promise<number> {
  await sleep(20)
  const momentMs = Date.now()
  await sleep(20)
  return momentMs
}

/** Waits until all that was committed is in the archive. */
async function archiveAll(server: PostgresServer) {
  const [row] = await server.ask<{ file: string }>('select pg_walfile_name(pg_switch_wal()) as file')
  await eventually(async () => {
    const [archived] = await server.ask<{ last: string | null }>(
      'select last_archived_wal as last from pg_stat_archiver',
    )
    return (archived?.last ?? '') >= row!.file
  })
}

/** Has the worker log the heads of all chains, as it does every hour; returns the lines. */
async function exportHeads(server: PostgresServer, { worker }: Site): Promise<string[]> {
  const seen = worker.lines.length
  await server.ask(`select graphile_worker.add_job('export-audit-heads')`)
  await eventually(() => worker.lines.slice(seen).some(({ message }) => message === 'audit heads'))
  return worker.lines
    .slice(seen)
    .filter(({ message }) => message === 'audit heads')
    .map((line) => JSON.stringify(line))
}

/** Single things that happen around the moment, each of which must come out as the guide says. */
async function openScene(site: Site, tenant: DrillTenant, receiver: Awaited<ReturnType<typeof startReceiver>>) {
  const ask = (base: Site, method: string, path: string, body?: object, more: { key?: string; name?: string } = {}) =>
    call(base.urls[0]!, method, path, {
      key: more.key ?? tenant.key,
      ...(body && { body }),
      ...(more.name !== undefined && { headers: { 'idempotency-key': more.name } }),
    })
  const org = `/v1/orgs/${tenant.id}`
  const keyNamed = (name: string) => ({ name, role: 'viewer', scopes: ['orgs:read'] })
  const budgetNamed = (name: string) => ({
    name,
    scope_kind: 'workflow',
    scope_id: name,
    limit_usd: '5',
    period: 'year',
  })
  const runBody = { model: 'drill', estimated_cost_usd: '0.5', lease_seconds: 3_600 }
  await ask(site, 'POST', `${org}/webhooks`, { url: receiver.url, events: ['key.created'] })
  return {
    beforeMoment: async () => {
      // Its delivery has to wait until after the moment.
      receiver.isDown = true
      const leaked = (await ask(site, 'POST', `${org}/keys`, keyNamed('leaked'))).json
      const budget = await ask(site, 'POST', `${org}/budgets`, budgetNamed('before'), { name: 'before' })
      const run = (await ask(site, 'POST', '/v1/runs', runBody)).json
      return { leaked: String(leaked['secret']), budget: budget.text, runId: run['id'] }
    },
    afterMoment: async () => {
      receiver.isDown = false
      await eventually(() => receiver.taken.length > 0)
      const delivered = [...receiver.taken]
      const minted = (await ask(site, 'POST', `${org}/keys`, keyNamed('minted'))).json
      const listed = (await ask(site, 'GET', `${org}/keys?limit=200`)).json['data'] as { id: string; name: string }[]
      const leaked = listed.find(({ name }) => name === 'leaked')!
      await ask(site, 'POST', `${org}/keys/${leaked.id}/revoke`, {})
      const budget = await ask(site, 'POST', `${org}/budgets`, budgetNamed('after'), { name: 'after' })
      const run = (await ask(site, 'POST', '/v1/runs', runBody)).json
      return { delivered, minted: String(minted['secret']), budget: budget.text, runId: run['id'] }
    },
    found: async (
      again: Site,
      before: { leaked: string; budget: string; runId: unknown },
      after: { delivered: string[]; minted: string; budget: string; runId: unknown },
    ) => {
      const [event] = after.delivered
      const deliveries = () => receiver.taken.filter((id) => id === event).length
      await eventually(() => deliveries() > 1, 30_000).catch(() => undefined)
      const repeatedBefore = await ask(again, 'POST', `${org}/budgets`, budgetNamed('before'), { name: 'before' })
      const repeatedAfter = await ask(again, 'POST', `${org}/budgets`, budgetNamed('after'), { name: 'after' })
      const finish = (runId: unknown) =>
        ask(again, 'POST', `/v1/runs/${String(runId)}/finish`, { status: 'succeeded', cost_usd: '0.25' })
      const [started, unknown] = [await finish(before.runId), await finish(after.runId)]
      const own = (key: string) => ask(again, 'GET', '/v1/me', undefined, { key })
      return {
        'a key that was revoked after the moment': (await own(before.leaked)).status,
        'a key that was minted after the moment': (await own(after.minted)).status,
        'a request from before, repeated, is the same': repeatedBefore.text === before.budget,
        'a request from after, repeated, is another':
          repeatedAfter.status === 201 && repeatedAfter.text !== after.budget,
        'a run that was running at the moment, finished': [started.status, started.json['cost_usd']],
        'a run that was started after the moment, finished': unknown.status,
        'an event from before is delivered again, under its id': deliveries() > 1,
      }
    },
  }
}

/** How the audit log looks after the restore, before and after it was recorded. */
async function auditAfter(site: Site, tenant: DrillTenant, heads: readonly string[], momentMs: number) {
  const folder = makeFolder()
  try {
    const [exportFile, headsFile] = [join(folder, 'export.ndjson'), join(folder, 'heads.log')]
    writeFileSync(headsFile, heads.join('\n'))
    const verify = async () => {
      const path = `/v1/orgs/${tenant.id}/audit-log/export?format=ndjson`
      writeFileSync(exportFile, (await call(site.urls[0]!, 'GET', path, { key: tenant.key })).text)
      const { output } = await site.command('verify-audit-export', exportFile, headsFile)
      return JSON.parse(output) as {
        valid: boolean
        first_bad?: { reason: string }
        restores?: { lost_heads: number }[]
      }
    }
    const route = await call(site.urls[0]!, 'GET', `/v1/orgs/${tenant.id}/audit-log/verify`, { key: tenant.key })
    const before = await verify()
    const early = await site.command('record-restore', new Date(Date.now() + 3_600_000).toISOString())
    const recorded = await site.command('record-restore', new Date(momentMs).toISOString())
    const after = await verify()
    const faults = [
      ...(route.json['valid'] === true ? [] : [`the restored chain is not sound: ${route.text}`]),
      ...(recorded.code === 0 ? [] : [`record-restore: ${recorded.output}`]),
      ...(early.code === 1 ? [] : ['record-restore takes a moment that has not come']),
      ...(after.valid ? [] : [`the recorded restore does not explain the heads: ${JSON.stringify(after)}`]),
    ]
    return {
      faults,
      found: {
        'heads that were logged after the moment, before the restore is recorded': before.first_bad?.reason ?? 'valid',
        'heads that were logged after the moment, once it is recorded': after.restores?.map(
          ({ lost_heads }) => lost_heads,
        ),
      },
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
