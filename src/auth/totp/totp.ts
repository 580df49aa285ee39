import { Secret, TOTP } from 'otpauth'
import type { Context } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import type { User } from '../../users/queries.ts'
import { consumeRecoveryCode, normalizeCode } from './recovery-codes.ts'

// RFC 6238 with the parameters that every authenticator supports.
const settings = { algorithm: 'SHA1', digits: 6, period: 30 }
/** Steps that a clock may be ahead or behind. */
const tolerance = 1

/**
 * Returns a new secret of 160 bits (RFC 4226, 4) as base32, otpauth URL and QR code.
 * The authenticator lists it under `issuer` and `label`.
 */
export async function newTotpSecret(issuer: string, label: string) {
  const secret = new Secret({ size: 20 })
  const totpAuthUrl = new TOTP({ ...settings, issuer, label, secret }).toString()
  const { toString: renderQrCode } = await import('qrcode')
  const svg = await renderQrCode(totpAuthUrl, { type: 'svg', margin: 2 })
  return { totpSecret: secret.base32, totpAuthUrl, qrCode: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` }
}

/** Returns whether a code has the form of an authenticator's code. Recovery codes never do. */
export function isTotp(code: string): boolean {
  return /^\d{6}$/.test(normalizeCode(code))
}

/**
 * Returns the time step that a code belongs to: the current, previous or next one. Returns null for
 * other codes.
 */
export function matchingStep(ctx: Pick<Context, 'sealer' | 'log' | 'now'>, { id, totpSecret }: User, code: string): number | null {
  if (totpSecret === null || !isTotp(code)) return null
  const secret = openSecret(ctx, id, totpSecret)
  const timestamp = ctx.now().getTime()
  const delta = secret && new TOTP({ ...settings, secret }).validate({ token: normalizeCode(code), timestamp, window: tolerance })
  return delta === null ? null : Math.floor(timestamp / 1000 / settings.period) + delta
}

function openSecret({ sealer, log }: Pick<Context, 'sealer' | 'log'>, userId: string, sealed: string): Secret | null {
  try {
    return Secret.fromBase32(sealer.open(sealed))
  } catch (err) {
    log.error({ err, userId }, 'TOTP secret cannot be decrypted with this SECRET_KEY; turn TOTP off with "npm run admin -- disable-totp"')
    return null
  }
}

/**
 * Consumes a code of the authenticator or a recovery code, and returns whether it was right. A code
 * is wrong if it, or a later one, has been used. Requires a transaction that has locked the user.
 */
export async function consumeTotpCode(
  ctx: Pick<Context, 'sealer' | 'log' | 'now'> & { db: Db },
  user: User,
  code: string,
): Promise<boolean> {
  if (!isTotp(code)) return consumeRecoveryCode(ctx.db, ctx.sealer, user.id, code)
  const step = matchingStep(ctx, user, code)
  return step !== null && consumeStep(ctx.db, user.id, step)
}

/** One statement, so only one of two sign-ins with the same code succeeds. */
async function consumeStep(db: Db, userId: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('user')
    .set({ totpLastStep: step })
    .where('id', '=', userId)
    .where('totpVerified', '=', true)
    .where((eb) => eb.or([eb('totpLastStep', 'is', null), eb('totpLastStep', '<', step)]))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
