import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { KeyValueStore } from '../uploader/journal.ts'

/**
 * Stores keys and values in an append-only file, one line per change, so that a killed process
 * loses nothing that it has written. Only its owner can read it. It is deleted with its last key.
 */
export class StateFile implements KeyValueStore {
  #path: string
  readonly #values: Map<string, string>
  #keys: string[] | null = null

  constructor(path: string) {
    this.#path = path
    this.#values = existsSync(path) ? readChanges(readFileSync(path, 'utf8')) : new Map()
  }

  get length(): number {
    return this.#values.size
  }

  key(index: number): string | null {
    this.#keys ??= [...this.#values.keys()]
    return this.#keys[index] ?? null
  }

  getItem(key: string): string | null {
    return this.#values.get(key) ?? null
  }

  setItem(key: string, value: string): void {
    this.#values.set(key, value)
    this.#write(key, value)
  }

  removeItem(key: string): void {
    if (!this.#values.delete(key)) return
    if (this.#values.size === 0) this.remove()
    else this.#write(key, null)
  }

  remove(): void {
    this.#values.clear()
    this.#keys = null
    rmSync(this.#path, { force: true })
  }

  /** Replaces another file atomically. */
  moveTo(path: string): void {
    renameSync(this.#path, path)
    this.#path = path
  }

  #write(key: string, value: string | null): void {
    this.#keys = null
    if (this.#values.size === 1) mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 })
    appendFileSync(this.#path, `\n${JSON.stringify([key, value])}`, { mode: 0o600 }) // the previous line may be incomplete
  }
}

function readChanges(text: string): Map<string, string> {
  const values = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [key, value] = parse(line)
    if (value === null) values.delete(key)
    else if (value !== undefined) values.set(key, value)
  }
  return values
}

/** A line that a crash has cut off is ignored. */
function parse(line: string): [string, (string | null)?] {
  try {
    return JSON.parse(line) as [string, string | null]
  } catch {
    return ['']
  }
}
