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

/**
 * Two cells in two regions, that reach each other by ways that can be cut and watched. Each lists a third one in the region of the other,
 * which nobody runs.
 */
export function useCells(
  options: {
    readonly environment?: Record<string, string>
    /** Only of the cell at which callers of the other arrive. */
    readonly arrival?: Record<string, string>
    readonly domain?: (app: App) => void
  } = {},
): { eu: CellUnderTest; us: CellUnderTest } {
  const redis: Record<string, RedisServer> = {}
  beforeAll(async () => {
    for (const name of ['eu1', 'us1']) redis[name] = await startRedis()
  })
  const cells: Record<string, CellUnderTest> = {}
  const wayTo = (name: string) => useTcpProxy(() => ({ host: '127.0.0.1', port: cells[name]!.server.port }))
  const ways: Record<string, TcpProxy> = { eu1: wayTo('eu1'), us1: wayTo('us1') }
  const listed = (name: string, region: string) => ({ name, region, url: `http://127.0.0.1:${ways[name]?.port ?? 1}` })
  const cell = (name: string, region: string, others: () => object[]): CellUnderTest => {
    const server = useServer({
      environment: () => ({
        SVC_CELL: name,
        SVC_REGION: region,
        SVC_CELLS: JSON.stringify(others()),
        SVC_CELL_LINK_KEYS: linkKeys,
        SVC_REDIS_URL: redis[name]!.url,
        ...options.environment,
        ...(name === 'eu1' && options.arrival),
      }),
      ...(options.domain && { domain: options.domain }),
    })
    return (cells[name] = { name, region, server, way: ways[name]!, redis: () => redis[name]! })
  }
  return {
    eu: cell('eu1', 'eu', () => [listed('us1', 'us'), listed('eu2', 'eu')]),
    us: cell('us1', 'us', () => [listed('eu1', 'eu'), listed('us2', 'us')]),
  }
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
