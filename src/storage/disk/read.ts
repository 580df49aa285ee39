import { stat } from 'node:fs/promises'
import { codeOf, rethrow } from './files.ts'

/** The file's size in bytes; null when there is none. */
export async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    return rethrow(error)
  }
}
