import { format } from 'node:util'

interface Log {
  warn(details: object, message: string): void
}

/**
 * Sends what libraries print on standard error, and Node's warnings, to the log, so that every line
 * of it is JSON.
 */
export function logConsole(log: Log): void {
  const warn = (...words: unknown[]) => log.warn({ text: format(...words) }, 'message of a library')
  console.error = warn
  console.warn = warn
  process.removeAllListeners('warning') // Node's own listener prints it
  process.on('warning', (err) => log.warn({ err }, 'warning of Node.js'))
}
