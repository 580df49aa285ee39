/** What the command ends with; `razorbill --help` lists them. */
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

/** Why the command cannot do what it was asked for; `code` is for machines, the message for people. */
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

/** A wrong way to call the command. */
export const usage = (message: string) => new Failure('usage', 'usage', message)

const signedOut = new Set(['unauthorized', 'unauthenticated_shares_disabled', 'session_ended', 'wrong_credentials'])

/** What an error answer of the server means for the command. */
export function failureOf(status: number, body: unknown): Failure {
  const { error, message, statusCode, ...details } = (body ?? {}) as Record<string, unknown>
  const ours = typeof error === 'string' && typeof message === 'string'
  if (!ours) return new Failure(endingOf(status, ''), 'unexpected_answer', `The server answered ${status}, and not as Razorbill does.`)
  return new Failure(endingOf(status, error), error, message, details)
}

function endingOf(status: number, code: string): Ending {
  if (status === 401 || signedOut.has(code)) return 'signedOut'
  if (status === 404) return 'notFound'
  return status === 403 ? 'refused' : 'failure'
}
