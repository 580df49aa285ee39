import { Secret, TOTP } from 'otpauth'
import type { Call } from '../calls.ts'
import { password } from './people.ts'

/** The code that an authenticator shows at a time, `steps` of 30 s later. */
export function codeAt(secret: string, now: Date, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() + steps * 30_000 })
}

/** Six digits that match neither the current code nor the adjacent ones. */
export function wrongCode(secret: string, now: Date): string {
  const right = [-1, 0, 1].map((steps) => codeAt(secret, now, steps))
  return ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code))!
}

/** Turns TOTP on for the caller, which consumes the current code. */
export async function switchTotpOn(call: Call, now: Date): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { totpSecret: secret } = (await call('POST auth/totp/enable', { password })).json()
  const answer = await call('POST auth/totp/verify', { code: codeAt(secret, now), password })
  if (answer.statusCode !== 201) throw new Error(`TOTP could not be switched on: ${answer.body}`)
  return { secret, recoveryCodes: answer.json().recoveryCodes }
}
