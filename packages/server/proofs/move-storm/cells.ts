import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { appLogin, asAdmin, databaseUrl, dropDatabase } from '../../scripts/private-services.ts'
import { environmentFor } from '../../test/support/harness.ts'
import { programEnvironment, type RunningRole, startProgram } from '../../test/support/programs.ts'
import { openTcpProxy } from '../../test/support/tcp-proxy.ts'
import { call } from '../../test/support/tenants.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const linkKeys = `link:${Buffer.alloc(32, 9).toString('base64')}`

/** A cell as real processes: an api, a worker, a database of its own. */
export interface RunningCell {
  readonly name: string
  /** Where callers and the other cell reach it; what lies behind may be killed and started again. */
  readonly url: string
  readonly way: Awaited<ReturnType<typeof openTcpProxy>>
  readonly environment: Record<string, string>
  readonly database: { readonly ownerUrl: string; readonly appUrl: string }
  readonly api: () => RunningRole
  /** Starts the api anew, after it was killed. */
  readonly restart: () => Promise<void>
  /** Runs a command of an operator; returns what it prints. */
  readonly run: (...command: string[]) => string
  readonly start: (...command: string[]) => RunningRole
}

export interface RunningCells {
  readonly eu: RunningCell
  readonly us: RunningCell
  /** Bodies that a customer's endpoint has taken. */
  readonly received: string[]
  readonly receiverUrl: string
  readonly close: () => Promise<void>
}

/** Two cells of one installation as processes, reached through ways that can be cut, and an endpoint of a customer. */
export async function startCells(options: { readonly workers?: boolean } = {}): Promise<RunningCells> {
  const closing: (() => Promise<unknown> | void)[] = []
  const close = async () => {
    for (const end of closing.splice(0).toReversed()) await end()
  }
  try {
    const received: string[] = []
    const endpoint = createServer((request, response) => {
      const take = async () => {
        received.push(await text(request))
        response.writeHead(204).end()
      }
      void take()
    })
    endpoint.listen(0, '127.0.0.1')
    await once(endpoint, 'listening')
    closing.push(() => {
      endpoint.closeAllConnections()
      endpoint.close()
    })
    const places = { eu1: 0, us1: 0 }
    const ways = {
      eu1: await openTcpProxy(() => ({ host: '127.0.0.1', port: places.eu1 })),
      us1: await openTcpProxy(() => ({ host: '127.0.0.1', port: places.us1 })),
    }
    closing.push(ways.eu1.close, ways.us1.close)
    let template: string | undefined
    const cell = async (name: 'eu1' | 'us1', other: 'eu1' | 'us1') => {
      const region = (of: string) => of.slice(0, 2)
      const id = `weir_move_${name}_${randomBytes(5).toString('hex')}`
      await asAdmin((admin) =>
        admin.query(`create database ${id}${template === undefined ? '' : ` template ${template}`}`),
      )
      closing.push(() => dropDatabase(id))
      const database = { ownerUrl: databaseUrl(id), appUrl: databaseUrl(id, appLogin) }
      const environment = environmentFor(database, {
        SVC_CELL: name,
        SVC_REGION: region(name),
        SVC_CELLS: JSON.stringify([
          { name: other, region: region(other), url: `http://127.0.0.1:${ways[other].port}` },
        ]),
        SVC_CELL_LINK_KEYS: linkKeys,
        SVC_DATABASE_POOL_SIZE: '8',
        SVC_WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
        SVC_WEBHOOK_ALLOWED_PORTS: '1-65535',
        SVC_WEBHOOK_RETRY_SECONDS: '1,1,2,2,4,4,8,8',
      })
      const env = { ...programEnvironment, ...environment }
      const run = (...command: string[]) =>
        execFileSync(process.execPath, [main, ...command], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
      const start = (...command: string[]) => {
        const role = startProgram(command[0]!, [process.execPath, main, ...command], environment)
        closing.push(async () => {
          role.process.kill('SIGKILL')
          await role.exit
        })
        return role
      }
      if (template === undefined) run('migrate')
      template ??= id
      const begin = async () => {
        await restart()
        if (options.workers === true) await start('worker').line(({ message }) => message === 'working')
      }
      let api: RunningRole
      const restart = async () => {
        api = start('api')
        const { url } = await api.line(({ message }) => message === 'serving')
        places[name] = Number(new URL(String(url)).port)
      }
      return {
        name,
        url: `http://127.0.0.1:${ways[name].port}`,
        way: ways[name],
        environment,
        database,
        api: () => api,
        restart,
        begin,
        run,
        start,
      }
    }
    const eu = await cell('eu1', 'us1')
    const us = await cell('us1', 'eu1')
    await Promise.all([eu.begin(), us.begin()])
    return { eu, us, received, receiverUrl: `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/`, close }
  } catch (error) {
    await close()
    throw error
  }
}

export interface RunningOrg {
  readonly id: string
  readonly key: string
}

/** Creates an organization in a cell. */
export async function createOrg(cell: RunningCell, operator: string): Promise<RunningOrg> {
  const {
    json,
    text: answer,
    status,
  } = await call(cell.url, 'POST', '/v1/admin/orgs', { key: operator, body: { name: 'Acme' } })
  if (status !== 201) throw new Error(answer)
  return { id: String(json['id']), key: (json as unknown as { owner_key: { secret: string } }).owner_key.secret }
}

/** Creates a key of an operator of a cell. */
export const operatorKeyOf = (cell: RunningCell): string =>
  (JSON.parse(cell.run('create-operator-key', 'storm')) as { key: string }).key
