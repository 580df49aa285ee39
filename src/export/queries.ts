import type { Db } from '../db/schema.ts'

/** Returns the users to export, oldest first: all, or the one with this name or email address. */
export function listUsers(db: Db, nameKey: string | null) {
  return db
    .selectFrom('user')
    .select(['id', 'username', 'email', 'emailVerified', 'isAdmin', 'createdAt', 'totpVerified'])
    .select((eb) => eb('passwordHash', 'is not', null).as('hasPassword'))
    .$if(nameKey !== null, (query) =>
      query.where((eb) => eb.or([eb('usernameKey', '=', String(nameKey)), eb('emailKey', '=', String(nameKey))])),
    )
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}
export type ExportedUser = Awaited<ReturnType<typeof listUsers>>[number]

/** Returns what belongs to an account, without anything that lets others sign in. */
export async function accountOf(db: Db, userId: string) {
  const [passkeys, linkedAccounts, apiTokens, sessions, knownRecipients] = await Promise.all([
    db.selectFrom('passkey').select(['name', 'createdAt', 'lastUsedAt']).where('userId', '=', userId).execute(),
    db.selectFrom('socialLink').select(['provider', 'issuer', 'subject', 'username', 'createdAt']).where('userId', '=', userId).execute(),
    db.selectFrom('apiToken').select(['name', 'scopes', 'createdAt', 'expiresAt', 'lastUsedAt']).where('userId', '=', userId).execute(),
    db.selectFrom('session').select(['createdAt', 'lastUsedAt', 'userAgent', 'address']).where('userId', '=', userId).execute(),
    db.selectFrom('knownRecipient').select(['email', 'usedAt']).where('userId', '=', userId).orderBy('usedAt').execute(),
  ])
  return { passkeys, linkedAccounts, apiTokens, sessions, knownRecipients }
}

/** Returns the reverse shares of a user. */
export function reverseSharesOf(db: Db, ownerId: string) {
  return db
    .selectFrom('reverseShare')
    .select(['id', 'token as link', 'name', 'maxSize', 'maxUses', 'uses', 'sendEmailNotification', 'simplified', 'publicAccess'])
    .select(['askName', 'askEmail', 'askMessage', 'allowedTypes', 'enabled', 'maxTotalSize', 'expiresAt', 'createdAt'])
    .select((eb) => eb('passwordHash', 'is not', null).as('hasPassword'))
    .where('ownerId', '=', ownerId)
    .where('deletedAt', 'is', null)
    .orderBy('createdAt')
    .execute()
}

/** Selects shares by their owner or their receiver, or those without an owner. */
export type ShareSelection = { ownerId: string } | { receiverId: string } | 'noOwner'

/** Returns the completed shares, oldest first. */
export function sharesOf(db: Db, selection: ShareSelection) {
  return db
    .selectFrom('share')
    .select([
      'id as link',
      'uid',
      'kind',
      'encrypted',
      'name',
      'description',
      'size',
      'views',
      'maxViews',
      'expiresAt',
      'removedReason',
      'createdAt',
      'completedAt',
    ])
    .select(['linkLabel', 'linkEnabled', 'maxDownloads', 'downloads', 'deleteAfterDownloads', 'notify', 'verifyRecipients'])
    .select(['reverseShareId', 'private', 'senderName', 'senderEmail', 'senderMessage'])
    .select((eb) => eb('passwordHash', 'is not', null).as('hasPassword'))
    .where('completedAt', 'is not', null)
    .where('deletedAt', 'is', null)
    .where((eb) => {
      if (selection === 'noOwner') return eb.and([eb('ownerId', 'is', null), eb('receiverId', 'is', null)])
      if ('ownerId' in selection) return eb('ownerId', '=', selection.ownerId)
      return eb.and([
        eb('receiverId', '=', selection.receiverId),
        eb.or([eb('ownerId', 'is', null), eb('ownerId', '<>', selection.receiverId)]),
      ])
    })
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}
export type ExportedShare = Awaited<ReturnType<typeof sharesOf>>[number]

/** Returns the further links of a share, oldest first. */
export function linksOf(db: Db, shareLink: string) {
  return db
    .selectFrom('shareLink')
    .select(['id as link', 'label', 'enabled', 'expiresAt', 'views', 'maxViews', 'downloads', 'maxDownloads', 'verifyEmail', 'createdAt'])
    .select((eb) => [
      eb('passwordHash', 'is not', null).as('hasPassword'),
      eb.selectFrom('shareRecipient').select('email').whereRef('shareRecipient.id', '=', 'shareLink.recipientId').as('recipient'),
    ])
    .where('shareId', '=', shareLink)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

/** Returns the files that visitors of a share see, oldest first. */
export function filesOf(db: Db, shareLink: string) {
  return db
    .selectFrom('file')
    .select(['id', 'name', 'size', 'crc32', 'objectKey', 'createdAt'])
    .where('shareId', '=', shareLink)
    .where('published', '=', true)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}
export type ExportedFile = Awaited<ReturnType<typeof filesOf>>[number]

/** Returns the email addresses that a share was sent to. */
export function recipientsOf(db: Db, shareLink: string) {
  return db
    .selectFrom('shareRecipient')
    .select(['email', 'outcome', 'sentAt', 'openedAt'])
    .where('shareId', '=', shareLink)
    .orderBy('email')
    .execute()
}

/** Returns the encrypted document of a share as its visitors get it. */
export async function documentOf(db: Db, shareId: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom('shareDocument').select('published').where('shareId', '=', shareId).executeTakeFirst()
  return row?.published ?? undefined
}
