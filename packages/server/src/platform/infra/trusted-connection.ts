import { connect, type Socket } from 'node:net'

/**
 * Connects to an address that the operator has set, such as that of the mail relay: it may be anywhere. What a customer has chosen goes
 * through `outbound.ts`.
 */
export const connectTrusted = (host: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, autoSelectFamily: true, noDelay: true })
    socket.once('connect', () => resolve(socket))
    // The listener stays: an error on a socket without one would end the process.
    socket.on('error', reject)
  })
