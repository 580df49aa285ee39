import { once } from 'node:events'
import { createWriteStream, type Stats } from 'node:fs'
import { rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { TarArchive } from 'archiver'
import { StartError } from '../errors.ts'
import type { Target } from './target.ts'

/**
 * Exports into a tar file, which gets its name at the end. It can't be continued: a later run
 * starts again. A file whose checksum is wrong stays in it, because its bytes are already written.
 * A file that ends early ends the export, because the rest of the tar file would be unreadable.
 */
export function tarTarget(file: string): Target {
  const part = `${file}.part`
  const archive = new TarArchive()
  const output = archive.pipe(createWriteStream(part, { mode: 0o600, flush: true }))
  const written = finished(output)
  written.catch(() => {}) // the entry that is being written reports it

  async function append(path: string, size: number, modified: Date, bytes: Readable): Promise<void> {
    const over = new AbortController()
    const { signal } = over
    const source = Readable.from(exactly(size, bytes), { objectMode: false })
    const entry = once(archive, 'entry', { signal })
    const ended = finished(source, { signal })
    archive.append(source, { name: path, date: modified, mode: 0o600, stats: { size } as Stats })
    try {
      await Promise.race([Promise.all([entry, ended]), written])
    } finally {
      over.abort()
    }
  }

  return {
    has: async () => false,
    async writeFile(path, size, modified, open, check) {
      const bytes = await open()
      try {
        await append(path, size, modified, bytes)
      } catch (error) {
        throw broken(path, error)
      }
      check()
    },
    async writeText(path, text, modified) {
      const bytes = Buffer.from(text)
      await append(path, bytes.length, modified, Readable.from([bytes], { objectMode: false }))
    },
    async finish() {
      await archive.finalize()
      await written
      await rename(part, file)
    },
    async close() {
      archive.unpipe() // destroying it would throw in an entry that has ended early
      output.destroy()
    },
  }
}

function broken(path: string, cause?: unknown): StartError {
  const why = cause instanceof Error ? `: ${cause.message}` : ''
  return new StartError(`The export ended at ${path}${why}. Export into a folder to leave out damaged files.`, { cause })
}

/** Passes exactly `size` bytes through, as the entry's header announces, and fails otherwise. */
async function* exactly(size: number, bytes: Readable): AsyncGenerator<Buffer> {
  let count = 0
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    count += chunk.length
    if (count > size) break
    yield chunk
  }
  if (count !== size) throw new Error(`the store has ${count > size ? 'more than ' : ''}${Math.min(count, size)} of ${size} bytes`)
}
