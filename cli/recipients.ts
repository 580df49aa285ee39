import type { Recipient } from '../src/shares/contract.ts'
import { accountInUse } from './account.ts'
import { Failure, usage } from './failure.ts'
import { idOn } from './link.ts'
import type { RecipientsOptions } from './options.ts'
import type { Output } from './output.ts'
import { Server } from './server.ts'
import { dateText, plain, table } from './texts.ts'

/** `razorbill recipients`: adds, removes and emails the recipients of a share, and lists them. */
export async function recipients(positionals: readonly string[], options: RecipientsOptions, output: Output): Promise<void> {
  const [shareText, ...others] = positionals
  if (shareText === undefined || others.length > 0) throw usage('Which share? razorbill recipients SHARE')
  const account = accountInUse()
  const [server, id] = [new Server(account), idOn(account.url, shareText)]
  const { add = [], remove = [], mail = [], 'verify-email': verifyEmail, 'no-verify-email': noVerifyEmail } = options
  if (verifyEmail && noVerifyEmail) throw usage('--verify-email and --no-verify-email exclude each other.')
  const body = {
    ...(add.length > 0 && { recipients: add }),
    ...((verifyEmail || noVerifyEmail) && { verifyRecipients: verifyEmail === true }),
  }
  if (Object.keys(body).length > 0) await server.call('PATCH /api/shares/:id', { params: { id }, body })
  const present = remove.length + mail.length > 0 ? await listOf(server, id) : []
  const paramsOf = (addresses: readonly string[]) => addresses.map((address) => ({ id, recipientId: withAddress(present, address).id }))
  const [removed, mailed] = [paramsOf(remove), paramsOf(mail)]
  for (const params of removed) await server.call('DELETE /api/shares/:id/recipients/:recipientId', { params })
  for (const params of mailed) await server.call('POST /api/shares/:id/recipients/:recipientId/mail', { params })
  list(await listOf(server, id), output)
}

function listOf(server: Server, id: string): Promise<Recipient[]> {
  return server.call('GET /api/shares/:id/recipients', { params: { id } })
}

function withAddress(all: readonly Recipient[], address: string): Recipient {
  const found = all.find(({ email }) => email.toLowerCase() === address.toLowerCase())
  if (!found) throw new Failure('notFound', 'recipient_not_found', `${plain(address)} is not a recipient of this share.`)
  return found
}

function list(all: readonly Recipient[], output: Output): void {
  const rows = all.map(({ email, link, state, sentAt, openedAt, downloaded, downloadedAt, verifyEmail }) => [
    plain(email),
    link ?? '',
    sentAt === null ? state : dateText(sentAt),
    openedAt === null ? '' : dateText(openedAt),
    [downloaded ?? 'unknown', ...(downloadedAt === null ? [] : [dateText(downloadedAt)])].join(' '),
    verifyEmail ? 'yes' : '',
  ])
  output.result(table([['RECIPIENT', 'LINK', 'SENT', 'OPENED', 'DOWNLOADED', 'CODE'], ...rows]), all)
}
