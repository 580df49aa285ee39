import { createWriteStream, type WriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { StartError } from '../errors.ts'
import { fileHeader, padding, tarEnd } from './tar-header.ts'
import type { Target } from './target.ts'

/**
 * Exports into a tar file, which gets its name at the end. It can't be continued: a later run
 * starts again. A file whose checksum is wrong stays in it, because its bytes are already written.
 * A file that ends early ends the export, because the rest of the tar file would be unreadable.
 */
export function tarTarget(file: string): Target {
  const part = `${file}.part`
  const output = createWriteStream(part, { mode: 0o600, flush: true })
  const append = (...sources: (Buffer | Readable)[]) => appendTo(output, sources)
  return {
    has: async () => false,
    async writeFile(path, size, modified, open, check) {
      const bytes = await open()
      const start = output.bytesWritten
      const header = fileHeader(path, size, modified)
      try {
        await append(header, bytes)
      } catch (error) {
        throw broken(path, error)
      }
      if (output.bytesWritten + output.writableLength - start !== header.length + size) throw broken(path)
      await append(padding(size))
      check()
    },
    async writeText(path, text, modified) {
      const bytes = Buffer.from(text)
      await append(fileHeader(path, bytes.length, modified), bytes, padding(bytes.length))
    },
    async finish() {
      await append(tarEnd)
      output.end()
      await finished(output)
      await rename(part, file)
    },
    async close() {
      output.destroy()
    },
  }
}

function broken(path: string, cause?: unknown): StartError {
  const why = cause instanceof Error ? `: ${cause.message}` : ''
  return new StartError(`The export ended at ${path}${why}. Export into a folder to leave out damaged files.`, { cause })
}

async function appendTo(output: WriteStream, sources: (Buffer | Readable)[]): Promise<void> {
  for (const source of sources) {
    const bytes = source instanceof Readable ? source : Readable.from([source], { objectMode: false })
    await pipeline(bytes, output, { end: false })
  }
}
