import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Door, OutsiderClient, type Traffic } from '../outsider-storm/clients.ts'
import { doorsOf, judgeScene, openScene, type Scene } from '../outsider-storm/storm.ts'
import { randomFrom } from '../storm/clients.ts'
import { exchange } from '../storm/exchange.ts'
import { type FaultCounts, faultsOf } from '../storm/faults.ts'
import type { Regions, StormCell } from './regions.ts'

/**
 * A storm over several regions: in each cell lives an organization, whose callers decide, finish and report in bulk through its own cell and
 * all others together, while links between cells are cut and healed, processes are killed and stopped, and databases crash. It must be as
 * exact as in one cell, by the same judges. Then one region is lost whole, and callers of the others must not notice.
 */

export interface RegionsStormOptions {
  readonly seconds: number
  /** Callers of each organization. */
  readonly clients: number
  readonly seed: number
  /** Whether anything fails. */
  readonly isCalm?: boolean
  readonly patienceMs?: number
}

export interface RegionsStormReport {
  readonly faults: readonly string[]
  readonly figures: Readonly<Record<string, unknown>>
}

interface CellScene {
  readonly cell: StormCell
  readonly scene: Scene
}

/** Sends callers of each scene to the doors until the work is over. */
async function callDuring(
  scenes: readonly CellScene[],
  { clients, seed }: RegionsStormOptions,
  trafficOf: (scene: CellScene) => Pick<Traffic, 'doors' | 'seen' | 'timeoutMs'>,
  work: () => Promise<unknown>,
) {
  let isOver = false
  let count = 0
  const running = scenes.flatMap((each, place) => {
    const { tenant, journal, budgetIds } = each.scene
    const traffic: Traffic = {
      key: tenant.key,
      orgId: tenant.id,
      journal,
      budgetIds,
      isOver: () => isOver,
      next: () => ++count,
      ...trafficOf(each),
    }
    return Array.from({ length: clients }, (_, i) =>
      new OutsiderClient(traffic, i, randomFrom((seed * 100 + place) * 1_000 + i)).run(),
    )
  })
  try {
    await work()
  } finally {
    isOver = true
    await Promise.all(running)
  }
}

const isServed = (status: number) => status > 0 && status < 500

export async function runRegionsStorm({ cells }: Regions, options: RegionsStormOptions): Promise<RegionsStormReport> {
  const { seconds, seed, isCalm = false, patienceMs } = options
  const scenes: CellScene[] = []
  try {
    for (const cell of cells) scenes.push({ cell, scene: await openScene(cell.installation) })
    const served = { 'at home': 0, 'through another cell': 0, 'through another region': 0 }
    const ownerOf = (door: Door) => cells.find(({ installation }) => installation.cluster.host === door.host)
    const counts: FaultCounts[] = []
    const setCalm = (value: boolean) => {
      for (const { installation } of cells) installation.calm.value = value
    }
    await callDuring(
      scenes,
      options,
      ({ cell }) => ({
        // Half of the callers begin at home.
        doors: () =>
          alternate(
            doorsOf(cell.installation),
            cells.filter((other) => other !== cell).flatMap(({ installation }) => doorsOf(installation)),
          ),
        seen: (door, { status }) => {
          if (!isServed(status)) return
          const through = ownerOf(door)
          served['at home'] += through === cell ? 1 : 0
          served['through another cell'] += through === cell ? 0 : 1
          served['through another region'] += through?.region === cell.region ? 0 : 1
        },
      }),
      async () => {
        setCalm(isCalm)
        try {
          if (isCalm) await sleep(seconds * 1_000)
          else
            counts.push(
              ...(await Promise.all(
                cells.map(({ installation, links }, place) => {
                  const random = randomFrom(seed * 7 + place)
                  return faultsOf(
                    { ...installation, proxies: [...installation.proxies, ...links, ...links] },
                    {
                      seconds,
                      random,
                      crashAfterMs: [seconds * 1_000 * (0.3 + 0.4 * random())],
                      cutsEveryMs: [300, 1_200],
                      killsEveryMs: [1_500, 3_500],
                    },
                  )
                }),
              )),
            )
        } finally {
          setCalm(true)
        }
      },
    )
    const judged = await Promise.all(
      scenes.map(async ({ cell, scene }) => {
        const { faults, figures } = await judgeScene(scene, patienceMs)
        return { name: cell.name, faults: faults.map((fault) => `${cell.name}: ${fault}`), figures }
      }),
    )
    const faults = judged.flatMap((each) => each.faults)
    // A storm in which nobody passed another cell proves nothing.
    if (served['through another region'] === 0) faults.push('nobody was served through another region')
    return {
      faults,
      figures: {
        served,
        failed: counts.reduce<Record<string, number>>((sum, each) => {
          for (const [name, count] of Object.entries(each)) sum[name] = (sum[name] ?? 0) + count
          return sum
        }, {}),
        ...Object.fromEntries(judged.map(({ name, figures }) => [name, figures])),
      },
    }
  } finally {
    for (const { scene } of scenes) scene.receiver.close()
  }
}

/**
 * Kills every part of a region while callers of the others go on in theirs: not one of them may get an error. Callers of the lost region
 * keep asking there too, and are told that it is away.
 */
export async function loseRegion(
  { cells }: Regions,
  lost: string,
  options: RegionsStormOptions,
): Promise<RegionsStormReport> {
  const [gone, left] = [cells.filter(({ region }) => region === lost), cells.filter(({ region }) => region !== lost)]
  const scenes: CellScene[] = []
  const strangers: CellScene[] = []
  try {
    for (const cell of left) scenes.push({ cell, scene: await openScene(cell.installation) })
    for (const cell of gone) strangers.push({ cell, scene: await openScene(cell.installation) })
    const errors: string[] = []
    let served = 0
    let isOver = false
    const refused: Record<string, number> = {}
    const pestering = strangers.flatMap(({ scene }) =>
      left.flatMap(({ installation }) => [
        pester(
          scene.tenant.key,
          () => doorsOf(installation),
          () => isOver,
          refused,
        ),
        pester(
          scene.tenant.key,
          () => doorsOf(installation),
          () => isOver,
          refused,
        ),
      ]),
    )
    let before = 0
    await callDuring(
      scenes,
      options,
      ({ cell }) => ({
        doors: () =>
          left.filter(({ region }) => region === cell.region).flatMap(({ installation }) => doorsOf(installation)),
        // An answer may take long on a busy machine; it must be one.
        timeoutMs: 90_000,
        seen: (door, { status, text }) => {
          if (isServed(status)) served++
          else errors.push(`${cell.name} at ${door.host}: ${status} ${text}`)
        },
      }),
      async () => {
        await sleep((options.seconds * 1_000) / 3)
        before = served
        // First the link falls silent, as when a network fails, and then nothing is there.
        for (const { links } of gone) for (const link of links) link.mute()
        await sleep(200)
        await Promise.all(gone.map(({ destroy }) => destroy()))
        await sleep((options.seconds * 2_000) / 3)
      },
    )
    isOver = true
    await Promise.all(pestering)
    const judged = await Promise.all(
      scenes.map(async ({ cell, scene }) => {
        const { faults, figures } = await judgeScene(scene, options.patienceMs)
        return { name: cell.name, faults: faults.map((fault) => `${cell.name}: ${fault}`), figures }
      }),
    )
    const unexpected = Object.keys(refused).filter((answer) => !/^(?:200|503 service_unavailable)$/.test(answer))
    return {
      faults: [
        ...errors.slice(0, 5),
        ...(errors.length > 0
          ? left.flatMap(({ installation }) =>
              installation.apis.flatMap(({ outages }) => outages.filter((line) => !ofLostCell.test(line)).slice(-10)),
            )
          : []),
        ...judged.flatMap(({ faults }) => faults),
        ...unexpected.map((answer) => `a caller of the lost region was answered ${answer}`),
        ...(served > before ? [] : ['nobody was served after the region was lost']),
      ],
      figures: {
        'answers before it was lost': before,
        'answers after': served - before,
        errors: errors.length,
        'callers of the lost region': refused,
        ...Object.fromEntries(judged.map(({ name, figures }) => [name, figures])),
      },
    }
  } finally {
    for (const { scene } of [...scenes, ...strangers]) scene.receiver.close()
  }
}

/** Log lines about the cells that are lost. */
const ofLostCell = /CellUnavailable|ECONNRESET|EPIPE|no answer in time|no connection in time/

/** Asks for decisions with a key whose home may be gone, again and again. */
async function pester(
  key: string,
  doors: () => readonly Door[],
  isOver: () => boolean,
  answers: Record<string, number>,
) {
  const agent = new Agent({ keepAlive: true })
  for (let i = 0; !isOver(); i++) {
    const door = doors()[i % 2] ?? doors()[0]
    if (!door) break
    const { status, text } = await exchange(agent, {
      ...door,
      method: i % 3 === 0 ? 'GET' : 'POST',
      path: i % 3 === 0 ? '/v1/me' : '/v1/edge/decision',
      key,
      body:
        i % 3 === 0
          ? ''
          : JSON.stringify({ model: 'storm', estimated_cost_usd: '0.0001', lease_seconds: 2, dry_run: true }),
      timeoutMs: 90_000,
    })
    const code = status >= 400 ? ` ${(JSON.parse(text) as { error: { code: string } }).error.code}` : ''
    answers[`${status}${code}`] = (answers[`${status}${code}`] ?? 0) + 1
    await sleep(30)
  }
  agent.destroy()
}

/** Takes from two lists in turn, the shorter one again from its beginning. */
function alternate<T>(first: readonly T[], second: readonly T[]): T[] {
  const length = Math.max(first.length, second.length)
  return Array.from({ length }, (_, i) => [first[i % first.length], second[i % second.length]])
    .flat()
    .filter((one) => one !== undefined)
}
