import { Type } from 'typebox'
import type { Contract } from '../../http/contract.ts'
import { ShareParams } from '../../shares/contract.ts'
import { codeLength } from './limits.ts'

/** The calls of a visitor whose link asks for a code by email. */
export const codesContract = {
  'POST /api/shares/:id/code': {
    summary: 'Email a code to the recipient of a link that asks for one; it works for 10 minutes and replaces an earlier one',
    status: 204,
    params: ShareParams,
  },
  'POST /api/shares/:id/code/verify': {
    summary: 'Confirm this device with the code: sets the device cookie for 30 days',
    params: ShareParams,
    body: Type.Object(
      {
        code: Type.String({
          pattern: `^\\s*(\\d\\s*){${codeLength}}$`,
          maxLength: 30,
          description: `${codeLength} digits; spaces are ignored`,
        }),
      },
      { additionalProperties: false },
    ),
    response: Type.Object({ token: Type.String({ description: 'the value of the device cookie' }) }),
  },
} satisfies Contract
