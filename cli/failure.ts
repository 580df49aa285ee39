/** Exit codes; `razorbill --help` lists them. */
export const exitCodes = {
  failure: 1,
  usage: 2,
  signedOut: 3,
  notFound: 4,
  refused: 5,
  exists: 6,
  unreachable: 7,
  interrupted: 130,
} as const
export type Ending = keyof typeof exitCodes

/** Why the command failed; `code` is for programs, the message for people. */
export class Failure extends Error {
  readonly ending: Ending
  readonly code: string
  readonly details: Record<string, unknown>

  constructor(ending: Ending, code: string, message: string, details: Record<string, unknown> = {}) {
    super(message)
    this.ending = ending
    this.code = code
    this.details = details
  }
}

/** Returns the failure for wrong usage of the command. */
export const usage = (message: string) => new Failure('usage', 'usage', message)

const signedOut = new Set(['unauthorized', 'unauthenticated_shares_disabled', 'session_ended', 'wrong_credentials'])

/** Returns the failure for an error response of the server. */
export function failureOf(status: number, body: unknown): Failure {
  const { error, message, statusCode, ...details } = (body ?? {}) as Record<string, unknown>
  const isOurs = typeof error === 'string' && typeof message === 'string'
  if (!isOurs)
    return new Failure(endingOf(status, ''), 'unexpected_answer', `The server responded with ${status}, but not as Razorbill does.`)
  return new Failure(endingOf(status, error), error, message, details)
}

function endingOf(status: number, code: string): Ending {
  if (status === 401 || signedOut.has(code)) return 'signedOut'
  if (status === 404) return 'notFound'
  return status === 403 ? 'refused' : 'failure'
}
