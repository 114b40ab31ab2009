import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../test/support/programs.ts'
import { openTcpProxy } from '../../test/support/tcp-proxy.ts'
import { copyServer, makeServer, type PostgresServer } from '../support/postgres-server.ts'
import { overspentNano, recoveryOf } from './calls.ts'
import { type DrillOptions, type DrillReport, faultsOfDrill, openDrill, withClosing } from './drill.ts'

/**
 * The drill of a failover: the primary is lost while money moves, a standby is promoted, and the switch in front of both leads to it. Weir's
 * processes are left to themselves.
 */

export interface FailoverOptions extends DrillOptions {
  /** Whether a commit waits for the standby. */
  readonly replication: 'synchronous' | 'asynchronous'
  /** `lost`: killed with -9, its disk gone. `returned`: it hangs, is given up, and goes on after the standby has taken over. */
  readonly primary: 'lost' | 'returned'
  /** How long the standby has heard nothing when the primary is lost: what an asynchronous one is behind. */
  readonly behindMs?: number
}

export interface FailoverReport extends DrillReport {
  /** Decisions that callers were told, and that the books do not have. */
  readonly lostDecisions: number
}

const standbyName = 'standby'

export const drillFailover = (options: FailoverOptions): Promise<FailoverReport> =>
  withClosing(async (closing) => {
    const primary = await makeServer()
    closing.push(() => primary.close())
    await primary.start()
    const standby = await makeStandby(primary)
    closing.push(() => standby.server.close(), standby.link.close)
    await standby.server.start()
    if (options.replication === 'synchronous') await replicateSynchronously(primary)
    const drill = await openDrill(closing, primary, options)
    const { calls, way } = drill
    await sleep(options.seconds * 500)

    if (options.behindMs !== undefined) {
      standby.link.mute()
      standby.link.deafen()
      await sleep(options.behindMs)
    }
    const disasterMs = performance.now()
    let resume = () => {}
    if (options.primary === 'lost') await primary.lose()
    else resume = primary.pause()
    await noticeLoss(primary)
    const noticedMs = performance.now()
    await standby.server.promote()
    const promotedMs = performance.now()
    way.leadTo(standby.server)
    // The worst that a switch can do to a primary that comes back: connections that were open stay with it.
    resume()
    await calls.goOn()
    const servingMs = performance.now()
    await sleep(options.seconds * 1_000)
    await calls.end()
    // Whatever is still connected to the old primary would read from it.
    way.drop()

    const faults = await faultsOfDrill(drill, standby.server)
    const overspent = overspentNano(calls.records)
    const recovery = recoveryOf(calls.samples, disasterMs)
    const seconds = (fromMs: number, toMs: number) => ((toMs - fromMs) / 1_000).toFixed(2)
    return {
      faults,
      lostDecisions: faults.filter((fault) => fault.includes('was admitted, and is not there')).length,
      figures: {
        calls: calls.records.length,
        admitted: calls.records.filter(({ started }) => started !== undefined).length,
        'noticed after, in seconds': seconds(disasterMs, noticedMs),
        'promoted after, in seconds': seconds(disasterMs, promotedMs),
        'deciding again after, in seconds': seconds(disasterMs, servingMs),
        'p99 before, in ms': recovery.p99BeforeMs.toFixed(1),
        'p99 as before after, in seconds': recovery.backAfterS,
        'and then for, in seconds': recovery.goodForS,
        'p99 then, in ms': recovery.p99AfterMs.toFixed(1),
        'customers above their limit at the provider': overspent.customers,
        'above it, in dollars': Number(overspent.nano) / 1e9,
      },
    }
  })

/** A copy of the primary that follows it through a link that can be cut. */
async function makeStandby(primary: PostgresServer) {
  const link = await openTcpProxy(() => ({ host: '127.0.0.1', port: primary.port }))
  const { username, password } = new URL(primary.ownerUrl)
  const conninfo = `host=127.0.0.1 port=${link.port} user=${username} password=${password} application_name=${standbyName}`
  const server = await copyServer(primary, {
    settings: { primary_conninfo: conninfo, wal_retrieve_retry_interval: '200ms' },
    parameters: ['--write-recovery-conf'],
  })
  return { server, link }
}

async function replicateSynchronously(primary: PostgresServer) {
  await primary.ask(`alter system set synchronous_standby_names = 'ANY 1 (${standbyName})'`)
  await primary.ask('select pg_reload_conf()')
  await eventually(async () => {
    const rows = await primary.ask<{ sync_state: string }>('select sync_state from pg_stat_replication')
    return rows.some(({ sync_state }) => sync_state === 'quorum')
  })
}

/** As a watcher notices it: three attempts in a row that fail, or have no answer within a second. */
async function noticeLoss(primary: PostgresServer) {
  for (let failures = 0; failures < 3; ) {
    const isUp = await Promise.race([
      primary.ask('select 1').then(
        () => true,
        () => false,
      ),
      sleep(1_000, false),
    ])
    failures = isUp ? 0 : failures + 1
    await sleep(200)
  }
}
