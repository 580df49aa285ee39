import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

const every = 5_000 // ms between two signs of life
const silence = 30_000 // ms after which a holder is taken for gone, though another process may have its number

/** Takes a transfer for this process; null while another one works on it. Given back by the function, or by the end of the process. */
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
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null // another one was faster
    throw error
  }
  const timer = setInterval(() => signOfLife(lock), every).unref()
  return () => {
    clearInterval(timer)
    rmSync(lock, { force: true })
  }
}

function signOfLife(lock: string): void {
  try {
    utimesSync(lock, new Date(), new Date())
  } catch {
    // somebody cleaned up
  }
}

function isHeld(lock: string): boolean {
  try {
    if (Date.now() - statSync(lock).mtimeMs > silence) return false
    const holder = Number(readFileSync(lock, 'utf8'))
    return holder === 0 || process.kill(holder, 0) // 0: the file was made this moment
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
