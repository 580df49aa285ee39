import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { Sealer } from '../crypto/sealed.ts'
import { equalsInConstantTime, macOf } from '../crypto/signed.ts'
import { AppError } from '../errors.ts'
import { hasUsersBy } from '../users/queries.ts'

// Without 0/O and 1/I, because people copy it by hand.
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const length = 12 // characters of 5 bits

/**
 * Returns the code that the first sign-up requires. It is derived from SECRET_KEY, so all replicas
 * show and accept the same code.
 */
export function setupCode(sealer: Sealer): string {
  const characters = Array.from(sealer.key('setup code').subarray(0, length), (byte) => alphabet[byte % alphabet.length])
  return characters.join('').replace(/(.{4})(?=.)/g, '$1-')
}

/** Returns whether a text is the setup code, in any case and with or without its hyphens. */
export function isSetupCode(sealer: Sealer, text: string): boolean {
  const mac = (code: string) => macOf(sealer, 'setup code', code.toUpperCase().replace(/[^0-9A-Z]/g, ''))
  return equalsInConstantTime(mac(text), mac(setupCode(sealer)))
}

/**
 * Returns whether the first account does not exist yet and a request, being from elsewhere, needs
 * the setup code to create it.
 */
export async function needsSetupCode({ reader, env }: Pick<Context, 'reader' | 'env'>, request: FastifyRequest): Promise<boolean> {
  return env.admin === null && !isLocal(request) && !(await hasUsersBy(reader))
}

/**
 * Ensures that only the operator of the server creates the first account.
 * @throws {AppError} setup_code_required: without a code, from another machine
 * @throws {AppError} wrong_setup_code: when the code is wrong
 */
export function requireSetup({ env, sealer }: Pick<Context, 'env' | 'sealer'>, isLocal: boolean, code: string | undefined): void {
  if (env.admin !== null || isLocal) return
  if (!code) throw new AppError('setup_code_required', { field: 'setupCode' })
  if (!isSetupCode(sealer, code)) throw new AppError('wrong_setup_code', { field: 'setupCode' })
}

/**
 * Returns whether a request comes directly from this machine: from a loopback address, through no
 * proxy, and to a loopback host. Other hosts mean a proxy that adds no headers, or a website whose
 * name was changed to resolve to this machine (DNS rebinding).
 */
export function isLocal({ raw, headers, hostname }: FastifyRequest): boolean {
  const isLoopback = /^(::ffff:)?127\.|^::1$/.test(raw.socket.remoteAddress ?? '')
  const isLoopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(hostname)
  const isForwarded = Object.keys(headers).some((name) => /^(forwarded|via|x-real-ip|x-forwarded-.*)$/.test(name))
  return isLoopback && isLoopbackHost && !isForwarded
}
