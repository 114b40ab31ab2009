import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

/** A provider that costs next to nothing: an answer of about a kilobyte, a short stream, one that stays open, or one without end. */

const usage = { prompt_tokens: 1_000, completion_tokens: 50, total_tokens: 1_050 }
const choice = { index: 0, message: { role: 'assistant', content: 'a'.repeat(900) }, finish_reason: 'stop' }
const whole = Buffer.from(
  JSON.stringify({ id: 'x', object: 'chat.completion', model: 'gpt-4o', choices: [choice], usage }),
)
const block = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const piece = block({
  id: 'x',
  object: 'chat.completion.chunk',
  model: 'gpt-4o',
  choices: [{ index: 0, delta: { content: 'word ' } }],
})
const last = `${block({ id: 'x', object: 'chat.completion.chunk', model: 'gpt-4o', choices: [], usage })}data: [DONE]\n\n`
const large = Buffer.from(piece.repeat(500))

const server = createServer((request, response) => {
  void (async () => {
    const body = await buffer(request)
    const kind = /"user":\s*"(\w+)"/.exec(body.toString('latin1'))?.[1] ?? 'whole'
    if (kind === 'whole') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length }).end(whole)
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    response.write(piece)
    if (kind === 'open') return
    if (kind === 'endless') {
      let go: () => void = () => undefined
      response.on('drain', () => go()).on('close', () => go())
      for (let sent = 0; sent < 50_000_000 && !response.destroyed; sent += large.length)
        if (!response.write(large))
          await new Promise<void>((resolve) => {
            go = resolve
          })
      response.end(last)
      return
    }
    for (let i = 0; i < 19; i += 1) {
      await pause(1)
      response.write(piece)
    }
    response.end(last)
  })()
})
server.listen(0, '127.0.0.1', 4_096, () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))
