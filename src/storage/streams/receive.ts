import { IncomingMessage } from 'node:http'
import { finished, type Readable, type Writable } from 'node:stream'
import { WrongLength } from '../object-store.ts'

/**
 * Pipes `body` into `writer` and waits until the writer has finished. On failure the writer is
 * destroyed and closed; the caller disposes of the body (see `drainBody`). Rejects with the
 * writer's error.
 *
 * @throws {WrongLength} the body failed or was cut
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
 * Disposes of a body that is no longer needed. Destroying a request would cut its connection before
 * the response is sent. So a request that announced at most `length` bytes is read to its end, and
 * only others are destroyed.
 */
export function drainBody(body: Readable, length: number): void {
  const isShort = body instanceof IncomingMessage && Number(body.headers['content-length']) <= length
  if (isShort) body.resume()
  else body.destroy()
}
