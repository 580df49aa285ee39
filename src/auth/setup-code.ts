import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { Sealer } from '../crypto/sealed.ts'
import { AppError } from '../errors.ts'
import { hasUsers } from '../users/queries.ts'

// Without 0/O and 1/I: people copy it by hand.
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const length = 12 // characters of 5 bit

/** Returns the code that whoever creates the first account must know. It is derived from SECRET_KEY, so that every replica shows and takes the same one. */
export function setupCode(sealer: Sealer): string {
  const characters = Array.from(sealer.key('setup code').subarray(0, length), (byte) => alphabet[byte % alphabet.length])
  return characters.join('').replace(/(.{4})(?=.)/g, '$1-')
}

/** Returns whether a text is the setup code, in whatever case and with or without its hyphens. */
export function isSetupCode(sealer: Sealer, given: string): boolean {
  const digest = (code: string) =>
    createHmac('sha256', sealer.key('setup code'))
      .update(code.toUpperCase().replace(/[^0-9A-Z]/g, ''))
      .digest()
  return timingSafeEqual(digest(given), digest(setupCode(sealer)))
}

/** Returns whether the first account is still to be created, and a request from elsewhere must bring the setup code for it. */
export async function needsSetupCode({ db, env }: Pick<Context, 'db' | 'env'>, request: FastifyRequest): Promise<boolean> {
  return env.admin === null && !isLocal(request) && !(await hasUsers(db))
}

/**
 * Makes sure that the first account is created by whoever runs the server.
 * @throws `setup_code_required`, or `wrong_setup_code`.
 */
export function requireSetup({ env, sealer }: Pick<Context, 'env' | 'sealer'>, isLocal: boolean, given: string | undefined): void {
  if (env.admin !== null || isLocal) return
  if (!given) throw new AppError('setup_code_required', { field: 'setupCode' })
  if (!isSetupCode(sealer, given)) throw new AppError('wrong_setup_code', { field: 'setupCode' })
}

/** Returns whether a request comes straight from this machine: from a loopback address, and through no proxy. */
export function isLocal({ raw, headers }: FastifyRequest): boolean {
  const isLoopback = /^(::ffff:)?127\.|^::1$/.test(raw.socket.remoteAddress ?? '')
  const isForwarded = Object.keys(headers).some((name) => /^(forwarded|via|x-real-ip|x-forwarded-.*)$/.test(name))
  return isLoopback && !isForwarded
}
