import { Type } from 'typebox'
import type { Contract } from '../../http/contract.ts'
import { Recipient, ShareId, ShareParams } from '../contract.ts'

const RecipientParams = Type.Object({ id: ShareId, recipientId: Type.String({ maxLength: 100 }) })

/** The calls for the recipients of a share. `PATCH /api/shares/:id` adds recipients. */
export const recipientsContract = {
  'GET /api/shares/:id/recipients': {
    summary: 'List the recipients of a share: the state of their emails, their links, and what they have opened and downloaded',
    params: ShareParams,
    response: Type.Array(Recipient),
  },
  'POST /api/shares/:id/recipients/:recipientId/mail': {
    summary: 'Email a recipient their link again; an earlier email that waits is not sent',
    params: RecipientParams,
    response: Recipient,
  },
  'POST /api/shares/:id/recipients/:recipientId/retry': {
    summary: 'Send a failed email again',
    params: RecipientParams,
    response: Recipient,
  },
  'DELETE /api/shares/:id/recipients/:recipientId': {
    summary: 'Remove a recipient: their link stops, and an email that waits is not sent',
    params: RecipientParams,
  },
  'GET /api/recipients': {
    summary: 'List the email addresses that own shares were sent to in the last year, the last used first; at most 100',
    response: Type.Array(Type.String()),
  },
} satisfies Contract
