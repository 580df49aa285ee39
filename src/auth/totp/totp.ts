import { Secret, TOTP } from 'otpauth'
import { toString as drawQr } from 'qrcode'
import type { Context } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import type { User } from '../../users/queries.ts'
import { consumeRecoveryCode, plain } from './recovery-codes.ts'

// RFC 6238 as every authenticator has it.
const settings = { algorithm: 'SHA1', digits: 6, period: 30 }
/** Steps that a clock may be off, each way. */
const tolerance = 1

/** A new secret of 160 bit (RFC 4226, 4), as it is shown: base32, address and picture. `issuer` and `label` are what the authenticator lists it under. */
export async function newTotpSecret(issuer: string, label: string) {
  const secret = new Secret({ size: 20 })
  const totpAuthUrl = new TOTP({ ...settings, issuer, label, secret }).toString()
  const picture = await drawQr(totpAuthUrl, { type: 'svg', margin: 2 })
  return { totpSecret: secret.base32, totpAuthUrl, qrCode: `data:image/svg+xml;base64,${Buffer.from(picture).toString('base64')}` }
}

/** Whether a code has the form of an authenticator's; a recovery code never has. */
export function isTotp(code: string): boolean {
  return /^\d{6}$/.test(plain(code))
}

/** The time step of which this is the code: now, the one before or the one after; null when it is none of them. */
export function stepOf(ctx: Pick<Context, 'sealer' | 'log' | 'now'>, { id, totpSecret }: User, code: string): number | null {
  if (totpSecret === null || !isTotp(code)) return null
  const secret = openSecret(ctx, id, totpSecret)
  const timestamp = ctx.now().getTime()
  const delta = secret && new TOTP({ ...settings, secret }).validate({ token: plain(code), timestamp, window: tolerance })
  return delta === null ? null : Math.floor(timestamp / 1000 / settings.period) + delta
}

function openSecret({ sealer, log }: Pick<Context, 'sealer' | 'log'>, userId: string, sealed: string): Secret | null {
  try {
    return Secret.fromBase32(sealer.open(sealed))
  } catch (err) {
    log.error({ err, userId }, 'a TOTP secret cannot be opened with this SECRET_KEY; switch TOTP off with "npm run admin -- disable-totp"')
    return null
  }
}

/**
 * Uses up a code of the authenticator, or a recovery code; false when it is neither, was used, or is older than one that was. In a transaction that has
 * locked the user.
 */
export async function consumeTotpCode(
  ctx: Pick<Context, 'sealer' | 'log' | 'now'> & { db: Db },
  user: User,
  code: string,
): Promise<boolean> {
  if (!isTotp(code)) return consumeRecoveryCode(ctx.db, ctx.sealer, user.id, code)
  const step = stepOf(ctx, user, code)
  return step !== null && takeStep(ctx.db, user.id, step)
}

/** One statement: of two sign-ins with one code one succeeds. */
async function takeStep(db: Db, userId: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('user')
    .set({ totpLastStep: step })
    .where('id', '=', userId)
    .where('totpVerified', '=', true)
    .where((eb) => eb.or([eb('totpLastStep', 'is', null), eb('totpLastStep', '<', step)]))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
