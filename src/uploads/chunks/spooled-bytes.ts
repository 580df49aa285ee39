import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { requireSpace } from '../../storage/disk/files.ts'
import { GatheringWriter } from '../../storage/streams/gathering-writer.ts'
import { receive } from '../../storage/streams/receive.ts'

/** Bytes in a temporary file without a name, which disappears with the process at the latest. */
export class SpooledBytes {
  readonly #file: FileHandle

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /**
   * Writes a body to a temporary file in `folder`, which is created if absent. `watch` sees each piece first and must not keep it; its
   * exception ends the writing. On failure the body is not destroyed.
   *
   * @throws {WrongLength} the body was cut
   * @throws {StoreFull}
   */
  static async of(body: Readable, folder: string, watch: (piece: Buffer) => void): Promise<SpooledBytes> {
    await mkdir(folder, { recursive: true })
    const path = join(folder, `chunk-${randomUUID()}`)
    const file = await open(path, 'wx+', 0o600)
    try {
      await rm(path)
      await write(body, { file, folder, watch })
      return new SpooledBytes(file)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** Yields all bytes in order. */
  async *read(): AsyncGenerator<Buffer> {
    yield* this.#file.createReadStream({ start: 0, autoClose: false })
  }

  /** Deletes the bytes. */
  async delete(): Promise<void> {
    await this.#file.close()
  }
}

async function write(
  body: Readable,
  { file, folder, watch }: { file: FileHandle; folder: string; watch: (piece: Buffer) => void },
): Promise<void> {
  const beforeWrite = () => requireSpace(folder, 0)
  const writer = new GatheringWriter({ file, position: 0, beforeWrite, releasesChunks: body instanceof IncomingMessage })
  const look = (piece: Buffer) => {
    try {
      watch(piece)
    } catch (error) {
      writer.destroy(error as Error)
    }
  }
  body.on('data', look)
  await receive(body, writer).finally(() => body.off('data', look))
}
