import { type DestinationStream, type Logger, pino } from 'pino'

/**
 * Creates the log of a process: one JSON object per line, on standard output by default. `role`
 * distinguishes the worker's lines from the server's.
 */
export function createLog(level: string, role: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { role },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
  }
  return pino(options, destination)
}

/**
 * Returns the loggable fields of an error and its causes. Other properties are left out, because
 * libraries attach connections and their parameters, which may contain secrets.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name, message, stack, cause, code } = error as Error & { code?: unknown }
  return {
    type: name,
    message,
    ...(code !== undefined && { code }),
    stack,
    ...(cause !== undefined && { cause: describeError(cause) }),
    ...(error instanceof AggregateError && { errors: error.errors.map(describeError) }),
  }
}
