import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Counter } from 'prom-client'
import type { AnsweredRequest } from '../../access/changes/changes.ts'
import type { Platform } from '../../platform/infra/platform.ts'
import type { Cell } from '../../region-settings.ts'
import { errorOf } from '../../values/thrown.ts'
import type { ForwardedCaller, LinkClaims, LinkPurpose } from './claims.ts'
import { type CellConnections, type CellRequest, createCellConnections } from './connections.ts'
import { createNonces } from './nonces.ts'
import {
  answerHeader,
  createLinkSignatures,
  credentialDigest,
  digestOf,
  linkHeader,
  type NewClaims,
  type SignedTarget,
} from './signature.ts'

export type { LinkClaims } from './claims.ts'
export { digestOf, linkHeader } from './signature.ts'
export { sendSigned } from './signed-answer.ts'

/** Longest difference between the clocks of two cells, and longest way of a request. */
const toleranceMs = 30_000
const rememberMs = 2 * toleranceMs + 5_000
const answerTimeoutMs = 2_000
const maxAnswerBytes = 65_536
/** Status by which a cell says that the other one has other master keys. */
export const otherKeysStatus = 409

/** Reasons why a signature of another cell is refused. */
export const linkFaults = [
  'malformed',
  'unknown_key',
  'forged',
  'unknown_cell',
  'other_cell',
  'other_use',
  'stale',
  'altered',
  'other_master_keys',
  'replayed',
] as const
export type LinkFault = (typeof linkFaults)[number]

/** Thrown where another cell does not answer, or not as itself. */
export class CellUnavailable extends Error {
  readonly cell: string

  constructor(cell: string, message: string) {
    super(`The cell ${cell} ${message}.`)
    this.name = 'CellUnavailable'
    this.cell = cell
  }
}

/** Thrown where another cell was set up with other master keys, so that the two are not of one installation. */
export class OtherMasterKeys extends CellUnavailable {
  constructor(cell: string) {
    super(
      cell,
      'has other SVC_MASTER_KEYS: give all cells the same ones (while they are rotated, at least one in common)',
    )
    this.name = 'OtherMasterKeys'
  }
}

/** Judgement of what a request says of the cell that sent it. */
export type LinkJudgement =
  | { readonly fault: undefined; readonly claims: LinkClaims }
  /** With claims where another cell has signed them. */
  | { readonly fault: LinkFault; readonly claims?: LinkClaims }

/** Answer of another cell, verified to be its own. */
export interface CellAnswer {
  readonly status: number
  readonly body: string
}

/** Link to the other cells of this installation. */
export interface CellLink {
  readonly cells: ReadonlyMap<string, Cell>
  /** Asks another cell something itself; throws {@link CellUnavailable}. */
  readonly ask: (cell: string, path: string) => Promise<CellAnswer>
  /** Sends another cell a part of a move; throws {@link CellUnavailable}, also where it may have had its effect. */
  readonly tell: (cell: string, path: string, body: string, timeoutMs: number) => Promise<CellAnswer>
  /** Reports to the home of a caller that its request was refused here; throws {@link CellUnavailable}. */
  readonly report: (cell: string, path: string, report: RefusalReport) => Promise<CellAnswer>
  /** Opens a request to another cell that stands for a caller's. */
  readonly forward: (cell: string, request: CellRequest, caller: ForwardedCaller) => ReturnType<CellConnections['open']>
  /** Verifies what a request says of the cell that sent it, and uses that up. */
  readonly verify: (request: LinkRequest, purpose: LinkPurpose) => Promise<LinkJudgement>
  readonly signAnswer: (claims: LinkClaims, status: number, body: string) => string
  readonly close: () => void
}

/** A refusal of this cell, for the record of another. */
export interface RefusalReport {
  readonly refused: AnsweredRequest
  readonly caller: ForwardedCaller
  /** `Authorization` of the caller, by which the home knows whose request it was. */
  readonly authorization: string
}

/** The parts of a request that a signature covers. */
export interface LinkRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

/** Parts of a request of this cell's own that most do without. */
interface SentWith {
  readonly more?: readonly string[]
  readonly body?: string
  readonly timeoutMs?: number
}

/** Opens the link; undefined for an installation of one cell. */
export function openCellLink(platform: Platform): CellLink | undefined {
  const { config, clock, log, metrics } = platform
  const { cells, cell: own, cellLinkKeys } = config
  if (cells.length === 0 || cellLinkKeys === undefined) return undefined
  const byName = new Map(cells.map((cell) => [cell.name, cell]))
  const signatures = createLinkSignatures(cellLinkKeys(), config.masterKeys())
  const nonces = createNonces(platform, rememberMs)
  const connections = new Map(cells.map((cell) => [cell.name, createCellConnections(cell)]))
  const nowMs = () => clock.now().getTime()
  const refusals = new Counter({
    name: 'svc_cell_link_refusals_total',
    help: 'Requests refused because they were not signed by another cell of this installation, by reason.',
    labelNames: ['reason'],
    registers: [metrics],
  })
  for (const reason of linkFaults) refusals.inc({ reason }, 0)

  function connectionsTo(name: string): CellConnections {
    const found = connections.get(name)
    if (!found) throw new CellUnavailable(name, 'is not listed in SVC_CELLS')
    return found
  }

  function faultOf(claims: LinkClaims, headers: IncomingHttpHeaders, purpose: LinkPurpose): LinkFault | undefined {
    if (!byName.has(claims.from)) return 'unknown_cell'
    if (claims.to !== own) return 'other_cell'
    if (claims.purpose !== purpose) return 'other_use'
    if (Math.abs(nowMs() - claims.atMs) > toleranceMs) return 'stale'
    // The body of a move is read later: whoever reads it compares its digest.
    const expected = {
      internal: () => digestOf(''),
      forward: () => credentialDigest(headers),
      refusal: () => credentialDigest(headers),
      move: () => claims.digest,
    }
    if (claims.digest !== expected[purpose]()) return 'altered'
    return signatures.sharesMasterKeys(claims) ? undefined : 'other_master_keys'
  }

  async function judge({ method, url, headers }: LinkRequest, purpose: LinkPurpose): Promise<LinkJudgement> {
    const claims = signatures.verify({ method, target: url }, String(headers[linkHeader]))
    if (typeof claims === 'string') return { fault: claims }
    const fault = faultOf(claims, headers, purpose) ?? ((await nonces.use(claims.nonce)) ? undefined : 'replayed')
    return { fault, claims }
  }

  const notedMs = new Map<LinkFault, number>()
  /** Counts each refusal, and logs one of a kind in a second: whoever sends forged ones must not fill the log. */
  function noteRefusal(reason: LinkFault) {
    refusals.inc({ reason })
    const atMs = performance.now()
    if (atMs < (notedMs.get(reason) ?? 0)) return
    notedMs.set(reason, atMs + 1_000)
    log.warn({ reason }, 'refused a request that claims to come from another cell')
  }

  /** Sends a signed request of this cell's own, and returns the answer if the other cell has signed it. */
  async function send(
    name: string,
    what: SignedTarget,
    about: Omit<NewClaims, 'from' | 'to'>,
    { more = [], body = '', timeoutMs = answerTimeoutMs }: SentWith = {},
  ): Promise<CellAnswer> {
    const { header, nonce } = signatures.sign(what, { ...about, from: own, to: name }, nowMs())
    const { host } = new URL(byName.get(name)?.url ?? 'http://unknown')
    const length = Buffer.byteLength(body)
    const headers = ['Host', host, linkHeader, header, 'Accept', 'application/json', ...more]
    if (length > 0) headers.push('Content-Type', 'application/octet-stream', 'Content-Length', String(length))
    const answer = await readAnswer(name, connectionsTo(name), { ...what, headers }, { body, timeoutMs })
    const signature = answer.headers[answerHeader]
    const isOwn = typeof signature === 'string' && signatures.isAnswer(nonce, signature, answer.status, answer.body)
    if (!isOwn) throw new CellUnavailable(name, `answered ${answer.status} without its signature`)
    if (answer.status === otherKeysStatus) throw new OtherMasterKeys(name)
    return answer
  }

  return {
    cells: byName,
    ask: (name, path) => send(name, { method: 'GET', target: path }, { purpose: 'internal', digest: digestOf('') }),
    report: (name, path, { refused, caller, authorization }) =>
      send(
        name,
        { method: 'POST', target: path },
        { purpose: 'refusal', digest: credentialDigest({ authorization }), caller, refused },
        { more: ['Authorization', authorization, 'Content-Length', '0'] },
      ),
    tell: (name, path, body, timeoutMs) =>
      send(name, { method: 'POST', target: path }, { purpose: 'move', digest: digestOf(body) }, { body, timeoutMs }),
    forward: (name, request, caller) => {
      const headers = headersOf(request.headers)
      const digest = credentialDigest(headers)
      const claims = { purpose: 'forward', from: own, to: name, digest, caller } as const
      const { header } = signatures.sign(request, claims, nowMs())
      return connectionsTo(name).open({ ...request, headers: [...request.headers, linkHeader, header] })
    },
    verify: async (request, purpose) => {
      const judged = await judge(request, purpose)
      if (judged.fault !== undefined) noteRefusal(judged.fault)
      return judged
    },
    signAnswer: signatures.signAnswer,
    close: () => {
      for (const each of connections.values()) each.close()
    },
  }
}

/** Returns the headers that name a caller, as the other side will read them. */
function headersOf(list: readonly string[]): { authorization?: string; cookie?: string } {
  const valuesOf = (wanted: string) => list.filter((_, i) => i % 2 === 1 && list[i - 1]?.toLowerCase() === wanted)
  const [authorization] = valuesOf('authorization')
  const cookies = valuesOf('cookie')
  return {
    ...(authorization !== undefined && { authorization }),
    ...(cookies.length > 0 && { cookie: cookies.join('; ') }),
  }
}

interface ReadAnswer extends CellAnswer {
  readonly headers: IncomingHttpHeaders
}

/** Sends a request with its body, and reads the whole answer. */
function readAnswer(
  cell: string,
  connections: CellConnections,
  request: CellRequest,
  { body, timeoutMs }: { readonly body: string; readonly timeoutMs: number },
): Promise<ReadAnswer> {
  return new Promise((resolve, reject) => {
    const sent = connections.open(request)
    const fail = (message: string) => {
      sent.destroy()
      reject(new CellUnavailable(cell, message))
    }
    const timer = setTimeout(() => fail('does not answer in time'), timeoutMs)
    sent.once('close', () => clearTimeout(timer))
    sent.on('error', (error) => fail(`cannot be reached (${errorOf(error).message})`))
    sent.on('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = []
      let length = 0
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if ((length += chunk.length) > maxAnswerBytes) fail('answers with too much')
      })
      response.on('error', () => fail('ended its answer early'))
      response.on('end', () => {
        clearTimeout(timer)
        const body = Buffer.concat(chunks).toString('utf8')
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body })
      })
    })
    sent.end(body)
  })
}
