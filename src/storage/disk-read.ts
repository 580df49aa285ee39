import fs from 'node:fs'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { codeOf, rethrow } from './disk-files.ts'
import { WrongLength } from './object-store.ts'

// Half the cost of a FileHandle, which counts where thousands of small files are read.
const open = promisify(fs.open)
const read = promisify(fs.read)
const close = promisify(fs.close)

/** Fills `target` from byte `start` of the file; WrongLength when the file ends before. */
export async function readFully(path: string, start: number, target: Uint8Array): Promise<void> {
  const fd = await open(path, 'r')
  try {
    for (let filled = 0; filled < target.length; ) {
      const { bytesRead } = await read(fd, target, filled, target.length - filled, start + filled)
      if (bytesRead === 0) throw new WrongLength(`The object ends at byte ${start + filled}`)
      filled += bytesRead
    }
  } finally {
    await close(fd)
  }
}

/** The file's size in bytes; null when there is none. */
export async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    return rethrow(error)
  }
}
