import { connect } from 'node:net'

const PATIENCE = 30_000 // ms after which a connection without a response, that is not closed either, hangs

export interface Outcome {
  /** Of all responses that came over the connection. */
  statuses: number[]
  hung: boolean
  refused: boolean
}

/** Sends the bytes over a connection of their own, ends its sending side, and reads until the server closes it. */
export function exchange(port: number, bytes: Buffer): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const outcome: Outcome = { statuses: [], hung: false, refused: false }
    const late = setTimeout(() => {
      outcome.hung = true
      socket.destroy()
    }, PATIENCE)
    socket.on('data', (data) => {
      for (const [, status] of data.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)) outcome.statuses.push(Number(status))
    })
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      outcome.refused = code === 'ECONNREFUSED'
    })
    socket.on('end', () => socket.destroy())
    socket.on('close', () => {
      clearTimeout(late)
      resolve(outcome)
    })
    socket.end(bytes)
  })
}
