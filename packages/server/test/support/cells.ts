import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { beforeAll } from 'vitest'
import type { App } from '../../src/contract/routes.ts'
import { type ServerUnderTest, useServer } from './harness.ts'
import { type RedisServer, startRedis } from './redis-servers.ts'
import { type TcpProxy, useTcpProxy } from './tcp-proxy.ts'
import { call, operatorOf, type Tenant, tenantOf } from './tenants.ts'

/** Link keys of the cells under test. */
export const linkKeys = `link:${Buffer.alloc(32, 9).toString('base64')}`

/** A cell under test, with a database and a Redis of its own. */
export interface CellUnderTest {
  readonly name: string
  readonly region: string
  readonly server: ServerUnderTest
  /** The way by which other cells reach it. */
  readonly way: TcpProxy
  readonly redis: () => RedisServer
}

interface CellOptions {
  readonly environment?: Record<string, string>
  readonly domain?: (app: App) => void
}

/** Place of a cell in an installation under test, and the others that it lists: also those that nobody runs. */
interface CellPlace extends CellOptions {
  readonly region: string
  readonly others: readonly { readonly name: string; readonly region: string }[]
}

/** Cells that reach each other by ways that can be cut and watched. */
export function useCellsAt<Name extends string>(
  places: Readonly<Record<Name, CellPlace>>,
): Record<Name, CellUnderTest> {
  const names = Object.keys(places) as Name[]
  const redis: Record<string, RedisServer> = {}
  beforeAll(async () => {
    for (const name of names) redis[name] = await startRedis()
  })
  const cells: Record<string, CellUnderTest> = {}
  const ways: Record<string, TcpProxy> = Object.fromEntries(
    names.map((name) => [name, useTcpProxy(() => ({ host: '127.0.0.1', port: cells[name]!.server.port }))]),
  )
  for (const name of names) {
    const { region, others, environment, domain } = places[name]
    const listed = () =>
      others.map((other) => ({ ...other, url: `http://127.0.0.1:${ways[other.name]?.port ?? nobodysPort}` }))
    const server = useServer({
      environment: () => ({
        SVC_CELL: name,
        SVC_REGION: region,
        SVC_CELLS: JSON.stringify(listed()),
        SVC_CELL_LINK_KEYS: linkKeys,
        SVC_REDIS_URL: redis[name]!.url,
        ...environment,
      }),
      ...(domain && { domain }),
    })
    cells[name] = { name, region, server, way: ways[name]!, redis: () => redis[name]! }
  }
  return cells
}

const nobodysPort = 1

/**
 * Two cells in two regions. Each lists a third one in the region of the other, which nobody runs.
 */
export function useCells(
  options: CellOptions & {
    /** Only of the cell at which callers of the other arrive. */
    readonly arrival?: Record<string, string>
  } = {},
): { eu: CellUnderTest; us: CellUnderTest } {
  const { arrival, ...shared } = options
  const { eu1, us1 } = useCellsAt({
    eu1: {
      ...shared,
      environment: { ...shared.environment, ...arrival },
      region: 'eu',
      others: [
        { name: 'us1', region: 'us' },
        { name: 'eu2', region: 'eu' },
      ],
    },
    us1: {
      ...shared,
      region: 'us',
      others: [
        { name: 'eu1', region: 'eu' },
        { name: 'us2', region: 'us' },
      ],
    },
  })
  return { eu: eu1, us: us1 }
}

/** An organization that lives in a cell. */
export const tenantIn = async ({ server }: CellUnderTest, name?: string): Promise<Tenant> =>
  tenantOf(server, (await operatorOf(server)).key, name)

/** Binds an organization to its region. */
export async function bind({ server }: CellUnderTest, { id, key }: Tenant) {
  const { status, text } = await call(server.url, 'PUT', `/v1/orgs/${id}/residency`, {
    key,
    body: { residency: 'strict' },
  })
  if (status !== 200) throw new Error(text)
}

/** Value of a counter of a cell. */
export async function counted(
  { server }: CellUnderTest,
  name: string,
  labels: Record<string, string>,
): Promise<number> {
  const found = await server.platform.metrics.getSingleMetric(name)?.get()
  return (
    found?.values.find((each) => Object.entries(labels).every(([label, value]) => each.labels[label] === value))
      ?.value ?? 0
  )
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Returns a key with another secret, or with an id that nobody has: well-formed, and good for nothing. */
export function guessedKey(key: string, isUnknown = false): string {
  const [, head = '', id = ''] = /^(weir_[a-z0-9]+)([0-7][0-9a-z]{25})_/.exec(key) ?? []
  const letters = (count: number, alphabet: string) =>
    Array.from(randomBytes(count), (byte) => alphabet[byte % alphabet.length]).join('')
  const otherId = isUnknown ? `0${letters(25, '0123456789abcdefghjkmnpqrstvwxyz')}` : id
  const text = `${head}${otherId}_${letters(43, base62)}`
  let left = crc32(text)
  let checksum = ''
  for (let i = 0; i < 6; i++) {
    checksum = base62[left % 62] + checksum
    left = Math.floor(left / 62)
  }
  return text + checksum
}
