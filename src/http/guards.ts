import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

/** A permission of an API token. A session has all permissions of its user. */
export type Scope = 'shares:read' | 'shares:write' | 'admin'

/** The caller of a request: a signed-in session, or an API token with its scopes. */
export interface Caller {
  userId: string
  username: string
  isAdmin: boolean
  /** True for an administrator who has no administrator rights before adding a second factor. */
  needsSecondFactor: boolean
  /** False from a sign-up or change of address until the user opens the link in the email. */
  emailVerified: boolean
  /** The session's id; null when an API token is calling. */
  sessionId: string | null
  /** When the session began; null when an API token is calling. */
  signedInAt: Date | null
  /** null: everything (a session). */
  scopes: Scope[] | null
  /** When the access token expires; null for an API token that never does. */
  expiresAt: Date | null
}

/** The callers that a guard allows. The scope `session` excludes all API tokens. */
export interface Access {
  visitors: boolean
  scope: Scope | 'session'
}

type Guard = (request: FastifyRequest) => Promise<void>

/** Returns the callers that a guard allows; undefined for a function that is not a guard. */
export function accessOf(guard: unknown): Access | undefined {
  return guarded.get(guard as Guard)
}

const guarded = new WeakMap<Guard, Access>()

function guard(access: Access, check: Guard): Guard {
  guarded.set(check, access)
  return check
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Looks up the caller by cookie or bearer token; null for a visitor. Set by `auth`. */
    identify(request: FastifyRequest): Promise<Caller | null>
  }
  interface FastifyRequest {
    caller: Caller | null | undefined
  }
}

/** Returns the caller, which is looked up once per request; null for a visitor. */
export async function callerOf(request: FastifyRequest): Promise<Caller | null> {
  if (request.caller === undefined) request.caller = await request.server.identify(request)
  return request.caller
}

/**
 * Returns a guard that refuses visitors and API tokens without `scope`; `session` refuses every
 * API token.
 * @throws {AppError} unauthorized: the caller is a visitor
 * @throws {AppError} forbidden: the API token lacks the scope
 */
export function signedIn(scope: Scope | 'session') {
  return guard({ visitors: false, scope }, async (request) => {
    const caller = await callerOf(request)
    if (!caller) throw new AppError('unauthorized')
    requireScope(caller, scope)
  })
}

/**
 * Returns a guard that allows visitors; an API token must have `scope`.
 * @throws {AppError} unauthorized: the bearer token is unknown or has expired
 * @throws {AppError} forbidden: the API token lacks the scope
 */
export function anyone(scope: Scope) {
  return guard({ visitors: true, scope }, async (request) => {
    const caller = await callerOf(request)
    if (caller) requireScope(caller, scope)
    else if (/^bearer /i.test(request.headers.authorization ?? '')) throw new AppError('unauthorized')
  })
}

/**
 * Refuses all callers except administrators.
 * @throws {AppError} unauthorized: the caller is a visitor
 * @throws {AppError} forbidden: the caller is not an administrator
 * @throws {AppError} second_factor_required: the administrator must add a second factor first
 */
export const admin = guard({ visitors: false, scope: 'admin' }, async (request) => {
  await signedIn('admin')(request)
  if (request.caller?.needsSecondFactor) throw new AppError('second_factor_required')
  if (!request.caller?.isAdmin) throw new AppError('forbidden')
})

/**
 * Returns the caller of a route that is guarded by `signedIn` or `admin`.
 * @throws {AppError} unauthorized: the caller is a visitor
 */
export function userOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new AppError('unauthorized')
  return request.caller
}

function requireScope(caller: Caller, scope: Scope | 'session'): void {
  if (!caller.scopes || (scope !== 'session' && caller.scopes.includes(scope))) return
  const message = scope === 'session' ? 'No API token may do this: sign in.' : `The API token lacks the right ${scope}.`
  throw new AppError('forbidden', { message })
}
