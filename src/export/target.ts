import type { Readable } from 'node:stream'

/**
 * The target of an export: a folder or a tar file. Paths have slashes, are relative, and valid
 * everywhere.
 */
export interface Target {
  /** Whether an earlier run has written a file completely. */
  has(path: string, size: number): Promise<boolean>
  /**
   * Writes a file of `size` bytes. `check` is called after the last byte and throws if they are
   * wrong. A folder then keeps nothing of the file.
   */
  writeFile(path: string, size: number, modified: Date, open: () => Promise<Readable>, check: () => void): Promise<void>
  writeText(path: string, text: string, modified: Date): Promise<void>
  /** Completes the target. Without this call a tar file keeps the ending `.part`. */
  finish(): Promise<void>
  /** Releases the target, completed or not. */
  close(): Promise<void>
}
