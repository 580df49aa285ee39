import { type DestinationStream, type Logger, pino } from 'pino'

/** The process's log: one JSON object a line, on standard output unless told otherwise. `role` tells the lines of the worker from those of the server. */
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

/** What is worth logging of an error and its causes. Not its other properties: libraries hang whole connections there, and what they were given. */
export function describeError(error: unknown): unknown {
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
