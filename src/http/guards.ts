import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

/** What an API token may do; a session may do all that its user may. */
export type Scope = 'shares:read' | 'shares:write' | 'admin'

/** Who is calling: a signed-in session, or an API token with its scopes. */
export interface Caller {
  userId: string
  username: string
  isAdmin: boolean
  /** The session's id; null when an API token is calling. */
  sessionId: string | null
  /** When the session began; null when an API token is calling. */
  signedInAt: Date | null
  /** null: everything (a session). */
  scopes: Scope[] | null
  /** When the access token ends; null for an API token that does not. */
  expiresAt: Date | null
}

/** Whom a guard lets pass: visitors or not, and API tokens with this scope, or none of them. */
export interface Access {
  visitors: boolean
  scope: Scope | 'session'
}

type Guard = (request: FastifyRequest) => Promise<void>

/** What a guard lets pass, for the documentation; undefined for other functions. */
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
    /** Looks the caller up from cookie or bearer token; null for a visitor. Set by `auth`. */
    identify(request: FastifyRequest): Promise<Caller | null>
  }
  interface FastifyRequest {
    caller: Caller | null | undefined
  }
}

/** The caller, looked up once a request; null for a visitor. */
export async function callerOf(request: FastifyRequest): Promise<Caller | null> {
  if (request.caller === undefined) request.caller = await request.server.identify(request)
  return request.caller
}

/** Refuses visitors (401) and API tokens without `scope` (403); `'session'` refuses every API token. */
export function signedIn(scope: Scope | 'session') {
  return guard({ visitors: false, scope }, async (request) => {
    const caller = await callerOf(request)
    if (!caller) throw new AppError('unauthorized')
    requireScope(caller, scope)
  })
}

/** Lets visitors pass as such; an API token must have `scope`. Whoever sends a token that is unknown or has ended is no visitor (401). */
export function anyone(scope: Scope) {
  return guard({ visitors: true, scope }, async (request) => {
    const caller = await callerOf(request)
    if (caller) requireScope(caller, scope)
    else if (/^bearer /i.test(request.headers.authorization ?? '')) throw new AppError('unauthorized')
  })
}

/** Refuses everybody but administrators. */
export const admin = guard({ visitors: false, scope: 'admin' }, async (request) => {
  await signedIn('admin')(request)
  if (!request.caller?.isAdmin) throw new AppError('forbidden')
})

/** The caller of a route that stands behind `signedIn` or `admin`. */
export function userOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new AppError('unauthorized')
  return request.caller
}

function requireScope(caller: Caller, scope: Scope | 'session'): void {
  if (!caller.scopes || (scope !== 'session' && caller.scopes.includes(scope))) return
  const message = scope === 'session' ? 'No API token may do this: sign in.' : `The API token lacks the right ${scope}.`
  throw new AppError('forbidden', { message })
}
