import { IncomingMessage } from 'node:http'
import { finished, type Readable, type Writable } from 'node:stream'
import { WrongLength } from '../object-store.ts'

/**
 * Pipes `body` into `writer` and waits until that is done. Rejects with the writer's error, or with WrongLength when the body fails or is cut; then the
 * writer is destroyed and closed. What becomes of the body is the caller's: see `drainBody`.
 */
export async function receive(body: Readable, writer: Writable): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  finished(writer, (error) => (error ? reject(error) : resolve()))
  finished(body, { writable: false }, (error) => {
    if (error) writer.destroy(new WrongLength(`The body was cut: ${error.message}`, { cause: error }))
  })
  body.pipe(writer)
  await promise
}

/**
 * Ends a body nobody wants any more. Destroying a request would cut its connection before the answer (no room, say) is out: so a request that announced
 * at most `length` bytes is read to its end and thrown away, and only others are destroyed.
 */
export function drainBody(body: Readable, length: number): void {
  const ends = body instanceof IncomingMessage && Number(body.headers['content-length']) <= length
  if (ends) body.resume()
  else body.destroy()
}
