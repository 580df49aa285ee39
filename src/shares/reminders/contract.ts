import type { Contract } from '../../http/contract.ts'
import { ShareParams } from '../contract.ts'

export const remindersContract = {
  'POST /api/shares/:id/askToReopen': {
    summary: 'Ask the sender of an expired share by email to reopen it; the sender gets at most one such email a day',
    status: 204,
    params: ShareParams,
  },
} satisfies Contract
