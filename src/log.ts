import { type Logger, pino } from 'pino'

/** The process's log: one JSON object a line on standard output. `role` tells the lines of the worker from those of the server. */
export function createLog(level: string, role: 'server' | 'worker'): Logger {
  return pino({
    level,
    base: { role },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  })
}
