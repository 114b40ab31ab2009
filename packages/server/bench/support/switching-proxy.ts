import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Forwards connections to the port that was named last; when it changes, those to the one before end. */
let target = 0
const open = new Set<Socket>()
const server = createServer((client) => {
  const upstream = connect(target, '127.0.0.1')
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    open.add(from)
    from.setNoDelay(true)
    from.on('error', () => to.destroy())
    from.on('close', () => {
      open.delete(from)
      to.destroy()
    })
    from.pipe(to)
  }
})
process.on('message', (message: { target: number }) => {
  target = message.target
  for (const socket of open) socket.destroy()
  if (!server.listening) server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
})
process.on('disconnect', () => process.exit(0))
