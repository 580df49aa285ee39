import { connect } from 'node:net'

const WAIT = 200 // ms until the sending side ends
const PATIENCE = 30_000 // ms after which a connection without a response, that is not closed either, hangs

export interface Outcome {
  /** Of all responses that came over the connection. */
  statuses: number[]
  hung: boolean
  refused: boolean
}

/** Sends the bytes over a connection of their own and reads until the server closes it; its sending side ends once a response begins, or after a moment. */
export function exchange(port: number, bytes: Buffer): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const outcome: Outcome = { statuses: [], hung: false, refused: false }
    const late = setTimeout(() => {
      outcome.hung = true
      socket.destroy()
    }, PATIENCE)
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
