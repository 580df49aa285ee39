import { Type } from 'typebox'
import type { Contract } from '../../http/contract.ts'
import { OptionalBody, PasswordToCheck } from '../../users/contract.ts'
import { recoveryCodeCount } from '../limits.ts'

/**
 * Users without a password omit it and need a sign-in within the last 15 minutes instead
 * (`confirmation_required`).
 */
const password = Type.Optional(PasswordToCheck)
/** Six digits, or a recovery code, which `verify` doesn't accept. */
const code = Type.String({ maxLength: 64 })

const RecoveryCodes = Type.Object({
  /** Shown only once. Each replaces a code once; spaces, hyphens and case don't matter. */
  recoveryCodes: Type.Array(Type.String(), { minItems: recoveryCodeCount, maxItems: recoveryCodeCount }),
})

export const totpContract = {
  'GET /api/auth/totp': {
    summary: 'Get whether the caller’s sign-ins need a code, and how many recovery codes are left',
    response: Type.Object({ totpVerified: Type.Boolean(), recoveryCodesLeft: Type.Integer() }),
  },
  'POST /api/auth/totp/enable': {
    summary: 'Start to set up an authenticator, which takes effect after verification',
    body: OptionalBody({ password }),
    response: Type.Object({
      /** otpauth:// */
      totpAuthUrl: Type.String(),
      /** Base32, to be typed in by hand. */
      totpSecret: Type.String(),
      /** A picture as data URL. */
      qrCode: Type.String(),
    }),
    status: 201,
  },
  'POST /api/auth/totp/verify': {
    summary: 'Verify that the authenticator works. Each later sign-in needs it, and all other sessions end',
    body: Type.Object({ code, password }),
    response: RecoveryCodes,
    status: 201,
  },
  'POST /api/auth/totp/recoveryCodes': {
    summary: 'Replace the recovery codes',
    body: Type.Object({ code, password }),
    response: RecoveryCodes,
    status: 201,
  },
  'POST /api/auth/totp/disable': {
    summary: 'Turn off two-factor authentication',
    body: Type.Object({ code, password }),
    response: Type.Boolean(),
    status: 201,
  },
} satisfies Contract
