import type { FastifyBaseLogger } from 'fastify'

const nothing = () => {}

/** A log that discards everything. */
export const silentLog: FastifyBaseLogger = {
  level: 'silent',
  fatal: nothing,
  error: nothing,
  warn: nothing,
  info: nothing,
  debug: nothing,
  trace: nothing,
  silent: nothing,
  child: () => silentLog,
}

interface KeptLine {
  level: string
  details: unknown
  message: unknown
}

/** A log that keeps its lines for tests to inspect. */
export function keptLog(): FastifyBaseLogger & { lines: KeptLine[] } {
  const lines: KeptLine[] = []
  const keep = (level: string) => (details: unknown, message?: unknown) => void lines.push({ level, details, message })
  const log = {
    lines,
    level: 'info',
    fatal: keep('fatal'),
    error: keep('error'),
    warn: keep('warn'),
    info: keep('info'),
    debug: nothing,
    trace: nothing,
    silent: nothing,
    child: () => log,
  }
  return log
}
