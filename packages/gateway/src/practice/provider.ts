import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { answerFor, errorBody } from './answers.ts'
import { Books, type Entry, tokensIn } from './books.ts'
import { type GeminiOperation, geminiAsked, geminiEmbedding, geminiOperation, geminiStatus } from './gemini.ts'
import { piecesOf, type Script, scriptIn } from './script.ts'

/**
 * A provider for practice: it answers in the dialects of the real ones with made-up text, and keeps books of what it was asked and would have
 * billed. Nothing leaves the machine, and nothing costs anything.
 */
export interface PracticeProvider {
  readonly url: string
  readonly books: Books
  /** The script of requests that bring none of their own. */
  usual: Script
  stop(): Promise<void>
}

const dialects: Readonly<Record<string, Entry['dialect']>> = {
  '/chat/completions': 'chat',
  '/completions': 'completions',
  '/responses': 'responses',
  '/responses/compact': 'compaction',
  '/embeddings': 'embeddings',
  '/messages': 'messages',
}
const outputFields = ['max_completion_tokens', 'max_tokens', 'max_output_tokens']
const defaultOutput = 20
/** The answer to somebody who asks for a long story. */
const longOutput = 950

export async function startPracticeProvider(port = 0, host = '127.0.0.1'): Promise<PracticeProvider> {
  const books = new Books()
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    answer(books, request, response, provider.usual).catch(() => response.destroy())
  })
  server.listen(port, host)
  await once(server, 'listening')
  const provider: PracticeProvider = {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    books,
    usual: {},
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return provider
}

async function answer(books: Books, request: IncomingMessage, response: ServerResponse, usual: Script) {
  const path = (request.url ?? '').split('?')[0] ?? ''
  if (path === '/books') return json(response, 200, { totals: books.totals(), entries: books.entries })
  const raw = await text(request)
  const operation = path.replace(/^.*?\/v1(?=\/)/, '').replace(/^\/openai\/deployments\/[^/]+/, '')
  if (operation === '/messages/count_tokens' || operation === '/responses/input_tokens')
    return json(response, 200, { input_tokens: usual.input ?? tokensIn(raw, false), object: 'response.input_tokens' })
  const kept = books.responses.answer(request.method, operation)
  if (kept) return json(response, kept.status, kept.body)
  const gemini = geminiOperation(path)
  if (gemini?.name === 'countTokens') return json(response, 200, { totalTokens: tokensIn(raw, false) })
  const dialect = gemini?.dialect ?? dialects[operation]
  if (dialect === undefined) return json(response, 404, { error: { message: `the practice provider has no ${path}` } })
  const body = JSON.parse(raw) as Record<string, unknown>
  const script = scriptIn(request.headers['x-practice']) ?? usual
  const entry = entryFor(dialect, body, raw, request, script, gemini)
  books.entries.push(entry)
  if (script.status !== undefined) {
    entry.state = 'refused'
    return json(
      response,
      gemini ? geminiStatus(script.status) : script.status,
      errorBody(dialect, script.status),
      script.status === 429 ? { 'retry-after': '1' } : {},
    )
  }
  const connection = watched(response, entry)
  if (script.firstMs) await pause(script.firstMs)
  if (script.breakAfter === 0) {
    entry.state = 'broken'
    request.socket.destroy()
    return
  }
  const earlier = books.responses.tokensOf(body['previous_response_id']) ?? 0
  const own = script.input ?? tokensIn(raw, script.worst ?? false)
  entry.input = own + (script.compaction?.input ?? 0) + earlier
  entry.cached = Math.min(script.cached ?? 0, entry.input)
  entry.written = Math.min(script.written ?? 0, entry.input - entry.cached)
  entry.searches = script.searches ?? 0
  entry.advisor = script.advisor
  if (dialect === 'embeddings') return embed(response, entry)
  if (dialect === 'gemini-embeddings') {
    entry.state = 'complete'
    return json(response, 200, geminiEmbedding(entry, body))
  }
  await generate(books, response, entry, body, script, connection)
}

function entryFor(
  dialect: Entry['dialect'],
  body: Record<string, unknown>,
  raw: string,
  request: IncomingMessage,
  script: Script,
  gemini: GeminiOperation | undefined,
): Entry {
  const bounds = outputFields.map((field) => body[field]).filter((value) => typeof value === 'number')
  const own = bounds.length === 0 ? undefined : Math.min(...bounds)
  return {
    dialect,
    model: script.model ?? gemini?.model ?? String(body['model']),
    stream: gemini?.stream ?? body['stream'] === true,
    choices: gemini ? geminiAsked(body).choices : Math.max(1, Number(body['n'] ?? 1)),
    headers: request.headers,
    body: raw,
    path: request.url ?? '',
    requestId: `req_${randomBytes(12).toString('hex')}`,
    maxOutput: gemini ? geminiAsked(body).maxOutput : own,
    input: 0,
    output: script.compaction?.output ?? 0,
    cached: 0,
    written: 0,
    reasoning: 0,
    searches: 0,
    advisor: undefined,
    state: 'running',
    goneAtMs: undefined,
  }
}

/** Notices a caller that hangs up, from the moment on at which its request is there. */
function watched(response: ServerResponse, entry: Entry): { readonly isGone: boolean } {
  const connection = { isGone: false }
  response.once('close', () => {
    connection.isGone = !response.writableFinished
    if (connection.isGone) entry.goneAtMs = performance.now()
  })
  return connection
}

/** Generates an answer, one token at a time, and bills each as it is made: that is what a provider does whose caller hangs up. */
async function generate(
  books: Books,
  response: ServerResponse,
  entry: Entry,
  body: Record<string, unknown>,
  script: Script,
  connection: { readonly isGone: boolean },
) {
  const { choices, stream: isStream } = entry
  const wanted = script.output ?? (/\blong story\b/.test(entry.body) ? longOutput : defaultOutput)
  const most = Math.min(wanted, entry.maxOutput ?? Number.POSITIVE_INFINITY)
  // Gemini thinks beside its maximum, all others within it.
  const isBeside = entry.dialect === 'gemini'
  const reasoning = isBeside ? (script.reasoning ?? 0) : Math.min(script.reasoning ?? 0, most)
  const pieces = piecesOf(isBeside ? most : most - reasoning)
  const isCut = most < wanted
  const answer = answerFor(entry, body, script)
  const goesOn = () => !connection.isGone || script.billsToTheEnd === true
  const step = async (tokens: number) => {
    entry.output += tokens * choices
    if (script.chunkMs) await pause(script.chunkMs)
  }
  if (isStream)
    response.writeHead(200, {
      'content-type': answer.contentType ?? 'text/event-stream; charset=utf-8',
      ...requestIds(entry),
    })
  if (isStream) for (const block of answer.begin()) response.write(block)
  for (let i = 0; i < reasoning && goesOn(); i += 1) {
    entry.reasoning += 1
    await step(1)
  }
  for (const [i, piece] of pieces.entries()) {
    if (!goesOn()) break
    if (script.breakAfter === i) {
      entry.state = 'broken'
      response.destroy()
      return
    }
    if (script.hangAfter === i) await once(response, 'close')
    if (!goesOn()) break
    await step(1)
    if (isStream && !connection.isGone) response.write(answer.piece(piece))
  }
  if (connection.isGone) {
    entry.state = 'aborted'
    return
  }
  entry.state = 'complete'
  const said = pieces.join('')
  if (entry.dialect === 'responses' && body['store'] !== false)
    books.responses.keep({ ...answer.whole(said, isCut) }, body['input'], entry.input + entry.output)
  if (!isStream) return json(response, 200, answer.whole(said, isCut), requestIds(entry))
  for (const block of answer.end(said, isCut)) response.write(block)
  response.end()
}

/** The id of a request under the names that the providers have for it. */
const requestIds = ({ requestId }: Entry) => ({ 'request-id': requestId, 'x-request-id': requestId })

function embed(response: ServerResponse, entry: Entry) {
  entry.state = 'complete'
  return json(response, 200, {
    object: 'list',
    model: entry.model,
    data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5, 0.125] }],
    usage: { prompt_tokens: entry.input, total_tokens: entry.input },
  })
}

function json(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) {
  const bytes = Buffer.from(JSON.stringify(body))
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length, ...headers })
    .end(bytes)
}
