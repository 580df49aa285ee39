import type { ServerResponse } from 'node:http'
import { AppError } from '../errors.ts'

const maxBuilding = 2
const maxWaiting = 64
const maxHeld = 134_217_728 // bytes
const retryAfter = 5 // s

interface Shared {
  bytes: Promise<Buffer>
  /** Responses that send these bytes. */
  responses: number
  /** Bytes held in memory; 0 while they are read. */
  length: number
}

const shared = new Map<string, Shared>()
const waiting: (() => void)[] = []
let building = 0
let held = 0

/**
 * Returns large bytes that `build` reads from the database for a response. Responses with the same
 * key share one buffer until the last of them is closed. Two buffers are built at once, and none once
 * 128 MiB are held.
 *
 * @throws the errors of `build`
 * @throws {AppError} unavailable: too many bytes are held, or too many requests wait; with
 *   `retryAfter` in seconds
 */
export function sharedBytes(key: string, response: ServerResponse, build: () => Promise<Buffer>): Promise<Buffer> {
  const entry = shared.get(key) ?? begin(key, build)
  entry.responses++
  const leave = () => {
    entry.responses--
    if (entry.responses === 0) drop(key, entry)
  }
  if (response.destroyed) leave()
  else response.once('close', leave)
  return entry.bytes
}

function begin(key: string, build: () => Promise<Buffer>): Shared {
  const work = async () => {
    const bytes = await build()
    if (shared.get(key) === entry) {
      entry.length = bytes.length
      held += bytes.length
    }
    return bytes
  }
  const entry: Shared = { bytes: inTurn(work), responses: 0, length: 0 }
  shared.set(key, entry)
  entry.bytes.catch(() => drop(key, entry))
  return entry
}

function drop(key: string, entry: Shared): void {
  if (shared.get(key) !== entry) return
  shared.delete(key)
  held -= entry.length
}

async function inTurn(build: () => Promise<Buffer>): Promise<Buffer> {
  if (waiting.length >= maxWaiting) throw new AppError('unavailable', { retryAfter })
  if (building < maxBuilding) building++
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    if (held >= maxHeld) throw new AppError('unavailable', { retryAfter })
    return await build()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else building--
  }
}
