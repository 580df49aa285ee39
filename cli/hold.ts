import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

const heartbeatInterval = 5_000 // ms
const heartbeatTimeout = 30_000 // ms; then the holder has ended, even if another process has its id

/**
 * Locks a transfer for this process and returns the function that unlocks it; null while another
 * process holds it.
 */
export function hold(path: string): (() => void) | null {
  const lock = `${path}.lock`
  mkdirSync(dirname(lock), { recursive: true, mode: 0o700 })
  if (isHeld(lock)) return null
  rmSync(lock, { force: true })
  try {
    const file = openSync(lock, 'wx', 0o600)
    writeSync(file, String(process.pid))
    closeSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null // another process was faster
    throw error
  }
  const timer = setInterval(() => heartbeat(lock), heartbeatInterval).unref()
  return () => {
    clearInterval(timer)
    rmSync(lock, { force: true })
  }
}

function heartbeat(lock: string): void {
  try {
    utimesSync(lock, new Date(), new Date())
  } catch {
    // the lock was deleted
  }
}

function isHeld(lock: string): boolean {
  try {
    if (Date.now() - statSync(lock).mtimeMs > heartbeatTimeout) return false
    const holder = Number(readFileSync(lock, 'utf8'))
    return holder === 0 || process.kill(holder, 0) // 0: the file was just created
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
