import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { request } from 'undici'
import { billOf, budgetHeader } from './load.ts'

/**
 * The usual way to keep a budget, to compare with: look whether there is something left, let the call go, and add what it cost. In one
 * process and without any delay of a store, which is the best that this way can do.
 */
export async function startCheckThenCharge(providerUrl: string, limitNano: number) {
  const spent = new Map<string, number>()
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body = await text(incoming)
      const budget = String(incoming.headers[budgetHeader])
      if ((spent.get(budget) ?? 0) >= limitNano) {
        outgoing.writeHead(402).end()
        return
      }
      const { 'x-practice': script } = incoming.headers
      const answer = await request(`${providerUrl}${incoming.url ?? ''}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-practice': String(script), [budgetHeader]: budget },
        body,
      })
      const said = await answer.body.text()
      const { usage } = JSON.parse(said) as { usage: { prompt_tokens: number; completion_tokens: number } }
      const cost = billOf({ input: usage.prompt_tokens, output: usage.completion_tokens })
      spent.set(budget, (spent.get(budget) ?? 0) + cost)
      outgoing.writeHead(answer.statusCode, { 'content-type': 'application/json' }).end(said)
    })().catch(() => outgoing.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
