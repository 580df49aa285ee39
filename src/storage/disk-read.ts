import fs from 'node:fs'
import { stat } from 'node:fs/promises'
import { codeOf, rethrow } from './disk-files.ts'
import { WrongLength } from './object-store.ts'

/**
 * Fills `target` from byte `start` of the file; WrongLength when the file ends before. With plain callbacks, and not waiting for the close: where
 * thousands of small files are read, a promise for each of the three steps costs as much again.
 */
export function readFully(path: string, start: number, target: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.open(path, 'r', (failed, fd) => {
      if (failed) return reject(failed)
      const done = (error?: Error | null) => {
        fs.close(fd, () => {})
        if (error) reject(error)
        else resolve()
      }
      fillFrom(fd, start, target, done)
    })
  })
}

function fillFrom(fd: number, position: number, target: Uint8Array, done: (error?: Error | null) => void): void {
  fs.read(fd, target, 0, target.length, position, (error, bytesRead) => {
    if (error || bytesRead === target.length) return done(error)
    if (bytesRead === 0) return done(new WrongLength(`The object ends at byte ${position}`))
    fillFrom(fd, position + bytesRead, target.subarray(bytesRead), done)
  })
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
