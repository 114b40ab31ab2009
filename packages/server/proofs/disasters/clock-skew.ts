import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../test/support/programs.ts'
import { makeServer, PostgresServer } from '../support/postgres-server.ts'
import { type DrillOptions, type DrillReport, faultsOfDrill, openDrill, withClosing } from './drill.ts'

/**
 * The drill of wrong clocks: of processes that are ahead or behind by minutes, and of a database that is, until somebody puts it right. A
 * library shifts what a program is told the time is.
 */

const library = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find((path) => existsSync(path))

function shiftedBy(minutes: number): Readonly<Record<string, string>> {
  if (minutes === 0) return {}
  if (library === undefined) throw new Error('libfaketime is needed: scripts/debian-packages faketime')
  const sign = minutes > 0 ? '+' : '-'
  // What measures how long something takes stays right, as on a machine whose clock is wrong.
  return { LD_PRELOAD: library, FAKETIME: `${sign}${Math.abs(minutes)}m`, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
}

export interface SkewOptions extends DrillOptions {
  /** By how many minutes the clock of each API process is wrong. */
  readonly processes: readonly number[]
  /** By how many minutes that of the database is wrong at first; it is put right under load. */
  readonly database: number
}

export const drillClockSkew = (options: SkewOptions): Promise<DrillReport> =>
  withClosing(async (closing) => {
    const server = await makeServer({ environment: shiftedBy(options.database) })
    closing.push(() => server.close())
    await server.start()
    const drill = await openDrill(closing, server, {
      ...options,
      apis: options.processes.length,
      apiEnvironment: (index) => shiftedBy(options.processes[index]!),
    })
    const { calls, site } = drill
    const readiness = async () =>
      Promise.all(
        site.urls.map(async (url) => {
          const { status } = await fetch(`${url}/readyz`)
          return status
        }),
      )
    const wrong = await readiness()
    await sleep(options.seconds * 500)
    let inOrder = server
    if (options.database !== 0) {
      await server.stop()
      const { folder, port, password } = server
      inOrder = new PostgresServer({ folder, port, password })
      closing.push(() => inOrder.crash())
      await inOrder.start()
    }
    await calls.goOn()
    await sleep(options.seconds * 500)
    await calls.end()
    const right = await eventually(
      async () => (await readiness()).every((status, i) => (status === 200) === (options.processes[i] === 0)),
      20_000,
    ).then(
      () => [] as string[],
      async () => [
        `readiness of processes whose clocks are wrong by ${options.processes.join(', ')} minutes: ${(await readiness()).join(', ')}`,
      ],
    )
    return {
      faults: [...(await faultsOfDrill(drill, inOrder)), ...right],
      figures: {
        calls: calls.records.length,
        finished: calls.records.filter(({ finished }) => finished !== undefined).length,
        'readiness while clocks were wrong': wrong.join(', '),
        'readiness in the end': (await readiness()).join(', '),
      },
    }
  })
