import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type Side, startSide } from './sides.ts'

const bodyOf = (kind: string) =>
  JSON.stringify({
    model: 'gpt-4o',
    user: kind,
    stream: true,
    messages: [{ role: 'user', content: 'a'.repeat(1_000) }],
  })

/** Memory of the gateway with many streams open, and with readers that are too slow for what comes. */
export async function benchMemory(smoke: boolean) {
  const mock = await startSide('mock-provider')
  const gateway = await startSide('gateway-process', [mock.url], { execArgv: ['--expose-gc'] })
  const open: ClientRequest[] = []
  try {
    const streams = smoke ? 100 : 2_000
    // The first ones pay for code and pools.
    open.push(...(await openStreams(gateway, 'open', 50)))
    const before = await rssOf(gateway)
    open.push(...(await openStreams(gateway, 'open', streams)))
    await pause(smoke ? 500 : 20_000)
    const each = ((await rssOf(gateway)) - before) / streams / 1_024
    console.log(`memory: ${each.toFixed(1)} KiB for each of ${streams} open streams (bar 100)`)
    for (const one of open.splice(0)) one.destroy()
    await pause(500)
    const slow = smoke ? 5 : 20
    open.push(...(await openStreams(gateway, 'endless', slow)))
    await pause(2_000)
    const early = await rssOf(gateway)
    await pause(smoke ? 1_000 : 20_000)
    const late = await rssOf(gateway)
    const grown = (late - early) / 1_048_576
    console.log(
      `memory: ${grown.toFixed(1)} MiB more after a while with ${slow} readers that do not read 50 MB streams (bar 10)`,
    )
    if (!smoke && (each > 100 || grown > 10)) process.exitCode = 1
  } finally {
    for (const one of open) one.destroy()
    gateway.stop()
    mock.stop()
  }
}

/** Opens streams, and reads no more than the beginning of each. */
async function openStreams({ url, headers }: Side, kind: string, count: number): Promise<ClientRequest[]> {
  const requests: ClientRequest[] = []
  for (let i = 0; i < count; i += 50)
    await Promise.all(
      Array.from({ length: Math.min(50, count - i) }, async () => {
        const one = httpRequest(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
        })
        one.on('error', () => undefined)
        one.end(bodyOf(kind))
        requests.push(one)
        const [answer] = (await once(one, 'response')) as [IncomingMessage]
        answer.on('error', () => undefined)
        if (kind === 'open') await once(answer, 'data')
      }),
    )
  return requests
}

async function rssOf({ child }: Side): Promise<number> {
  child.send('rss')
  const [{ rss }] = (await once(child, 'message')) as [{ rss: number }]
  return rss
}
