import { Pool } from 'undici'

/** What deliveries are compared with: a client that posts the same bodies to the same endpoint, and does nothing else. */
interface Order {
  readonly origin: string
  readonly count: number
  readonly concurrency: number
  readonly body: string
}

process.on('message', ({ origin, count, concurrency, body }: Order) => {
  void (async () => {
    const pool = new Pool(origin, { connections: concurrency })
    const headers = { 'content-type': 'application/json' }
    let left = count
    const post = async () => {
      while (left-- > 0) {
        const answer = await pool.request({ path: '/', method: 'POST', headers, body })
        await answer.body.dump()
      }
    }
    await Promise.all(Array.from({ length: concurrency }, post))
    await pool.close()
    process.send!('done')
  })()
})
process.on('disconnect', () => process.exit(0))
process.send!('ready')
