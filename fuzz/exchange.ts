import { connect } from 'node:net'

const WAIT = 200 // ms until the sending side is closed
const TIMEOUT = 30_000 // ms until an open connection without a response counts as hanging

export interface Outcome {
  /** Statuses of all responses on the connection. */
  statuses: number[]
  hung: boolean
  refused: boolean
}

/**
 * Sends bytes over a new connection and reads until the server closes it. The sending side is
 * closed when a response begins, or after 200 ms.
 */
export function exchange(port: number, bytes: Buffer): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const outcome: Outcome = { statuses: [], hung: false, refused: false }
    const late = setTimeout(() => {
      outcome.hung = true
      socket.destroy()
    }, TIMEOUT)
    const waiting = setTimeout(() => socket.end(), WAIT)
    socket.on('data', (data) => {
      for (const [, status] of data.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)) outcome.statuses.push(Number(status))
    })
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      outcome.refused = code === 'ECONNREFUSED'
    })
    socket.on('end', () => socket.destroy())
    socket.on('close', () => {
      clearTimeout(late)
      clearTimeout(waiting)
      resolve(outcome)
    })
    socket.write(bytes)
  })
}
