import { spawnRedis } from '../../test/support/redis-server.ts'
import { openTcpProxy } from '../../test/support/tcp-proxy.ts'
import { openOutsiderInstallation } from '../outsider-storm/storm.ts'
import type { Installation } from '../storm/installation.ts'

type Link = Awaited<ReturnType<typeof openTcpProxy>>
type Redis = Awaited<ReturnType<typeof spawnRedis>>

/** A cell of its own in every part: PostgreSQL, Redis, api processes and a worker, on a loopback address that no other cell has. */
export interface StormCell {
  readonly name: string
  readonly region: string
  readonly installation: Installation
  /** Ways by which other cells reach it, to be cut. */
  readonly links: readonly Link[]
  readonly redis: Redis
  /** Ends every part of it at once, for good. */
  readonly destroy: () => Promise<void>
}

export interface Regions {
  readonly cells: readonly StormCell[]
  readonly close: () => Promise<void>
}

const linkKeys = `storm:${Buffer.alloc(32, 11).toString('base64')}`

/** Opens cells by their regions, that know each other: `{ eu: ['eu1', 'eu2'], us: ['us1'] }`. */
export async function openRegions(
  places: Readonly<Record<string, readonly string[]>>,
  { apis = 2, bug = '' }: { apis?: number; bug?: string } = {},
): Promise<Regions> {
  const closing: (() => Promise<void> | void)[] = []
  const close = async () => {
    for (const end of closing.splice(0).toReversed()) await end()
  }
  const listed = Object.entries(places).flatMap(([region, names], i) =>
    names.map((name, j) => ({ name, region, host: `127.0.${i + 1}.${j + 1}` })),
  )
  const opened = new Map<string, Installation>()
  let turn = 0
  /** An address of a process that serves, in turn; one where nobody is while none does. */
  const doorOf = (name: string, host: string) => {
    const ports = (opened.get(name)?.apis ?? []).flatMap(({ port }) => (port === undefined ? [] : [port]))
    return { host, port: ports[turn++ % Math.max(1, ports.length)] ?? nobodysPort }
  }
  try {
    const links = new Map<string, Link>()
    for (const from of listed)
      for (const to of listed)
        if (from !== to) {
          const link = await openTcpProxy(() => doorOf(to.name, to.host), to.host)
          closing.push(() => link.close())
          links.set(`${from.name} ${to.name}`, link)
        }
    const open = async ({ name, region, host }: (typeof listed)[number]): Promise<StormCell> => {
      const others = listed.filter((other) => other.name !== name)
      const redis = await spawnRedis({ host })
      closing.push(redis.remove)
      const cells = others.map((other) => ({
        name: other.name,
        region: other.region,
        url: `http://${other.host}:${links.get(`${name} ${other.name}`)!.port}`,
      }))
      const installation = await openOutsiderInstallation(apis, {
        host,
        environment: {
          SVC_CELL: name,
          SVC_REGION: region,
          SVC_CELLS: JSON.stringify(cells),
          SVC_CELL_LINK_KEYS: linkKeys,
          SVC_REDIS_URL: redis.url,
        },
      })
      closing.push(installation.close)
      opened.set(name, installation)
      const destroy = async () => {
        await Promise.all([...installation.apis, installation.worker].map((member) => member.close()))
        await Promise.all([redis.kill(), installation.cluster.stop()])
      }
      return {
        name,
        region,
        installation,
        links: others.map((other) => links.get(`${other.name} ${name}`)!),
        redis,
        destroy,
      }
    }
    const opening = await Promise.allSettled(listed.map(open))
    const cells = opening.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    const failed = opening.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
    if (bug !== '') await Promise.all(cells.map(({ installation }) => installation.plant(bug)))
    return { cells, close }
  } catch (error) {
    await close()
    throw error
  }
}

const nobodysPort = 1
