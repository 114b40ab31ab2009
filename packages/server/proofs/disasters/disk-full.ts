import { execFileSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../test/support/programs.ts'
import { makeFolder, makeServer } from '../support/postgres-server.ts'
import { type DrillOptions, type DrillReport, faultsOfDrill, openDrill, withClosing } from './drill.ts'

const diskMiB = 384

/**
 * The drill of a full disk: PostgreSQL has all of its data and its log on a small one, which something else fills under load. Then there is
 * room again, and whoever runs PostgreSQL starts it where it has ended.
 */
export const drillDiskFull = (options: DrillOptions): Promise<DrillReport> =>
  withClosing(async (closing) => {
    const folder = makeFolder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMiB}m`, 'tmpfs', folder])
    closing.push(() => {
      execFileSync('umount', ['--lazy', folder])
      rmSync(folder, { recursive: true, force: true })
    })
    const settings = { max_wal_size: '64MB', min_wal_size: '32MB', shared_buffers: '16MB' }
    const server = await makeServer({ settings, at: folder })
    closing.push(() => server.crash())
    await server.start()
    const drill = await openDrill(closing, server, options)
    const { calls } = drill
    await sleep(options.seconds * 250)

    const filler = join(folder, 'filler')
    fill(filler)
    const fullMs = performance.now()
    const readiness = async () =>
      (
        await fetch(`${drill.site.urls[0]!}/readyz`).then(
          (answer) => answer.json() as Promise<{ checks: { postgres: string } }>,
          () => undefined,
        )
      )?.checks.postgres ?? 'no answer'
    const said = new Set<string>()
    await eventually(async () => {
      fill(filler)
      const now = await readiness()
      if (now !== 'ok') said.add(now)
      return said.size > 0
    })
    const stoppedMs = performance.now()
    await sleep(options.seconds * 250)
    said.add(await readiness())
    const hadEnded = server.hasEnded()
    rmSync(filler)
    const roomMs = performance.now()
    if (server.hasEnded()) await server.start()
    await calls.goOn()
    const backMs = performance.now()
    await calls.end()
    return {
      faults: await faultsOfDrill(drill, server),
      figures: {
        calls: calls.records.length,
        'until decisions stopped, in seconds': ((stoppedMs - fullMs) / 1_000).toFixed(1),
        'what readiness said': [...said].filter((one) => one !== 'ok').join(', '),
        'PostgreSQL had ended': hadEnded ? 'yes' : 'no',
        'deciding again, in seconds after there was room': ((backMs - roomMs) / 1_000).toFixed(1),
      },
    }
  })

/** Takes whatever is left on the disk. */
function fill(path: string) {
  const file = openSync(path, 'a')
  try {
    for (const size of [1_048_576, 4_096]) {
      const block = Buffer.alloc(size)
      try {
        while (writeSync(file, block) === size);
      } catch {
        // There is no room for as much; less may still fit.
      }
    }
  } finally {
    closeSync(file)
  }
}
