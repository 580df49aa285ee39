import type { ColumnType, Generated, Kysely, Transaction } from 'kysely'

// The tables after all migrations; `test/db/schema.api.test.ts` compares both. Columns are
// snake_case in the database. bigint is read as number (byte counts stay far below 2^53),
// timestamptz as Date.

export interface UserTable {
  id: Generated<string>
  username: string
  usernameKey: string
  email: string
  emailKey: string
  passwordHash: string | null
  isAdmin: Generated<boolean>
  totpSecret: string | null
  totpVerified: Generated<boolean>
  createdAt: Generated<Date>
  credentialVersion: Generated<number>
  totpLastStep: number | null
  emailVerified: Generated<boolean>
  /** A BCP 47 code; null: the user has not chosen one. */
  language: string | null
}

export interface SessionTable {
  id: Generated<string>
  userId: string
  tokenHash: string
  previousTokenHash: string | null
  rotatedAt: Generated<Date>
  createdAt: Generated<Date>
  lastUsedAt: Generated<Date>
  expiresAt: Date
  userAgent: string | null
  address: string | null
  byPasskey: Generated<boolean>
}

interface LoginTokenTable {
  tokenHash: string
  userId: string
  tries: Generated<number>
  createdAt: Generated<Date>
  expiresAt: Date
}

interface RecoveryCodeTable {
  userId: string
  codeHash: string
}

export interface PasswordTokenTable {
  tokenHash: string
  userId: string
  purpose: 'reset' | 'invitation'
  createdAt: Generated<Date>
  expiresAt: Date
}

interface EmailTokenTable {
  tokenHash: string
  userId: string
  createdAt: Generated<Date>
  expiresAt: Date
}

export interface PasskeyTable {
  id: Generated<string>
  userId: string
  credentialId: string
  publicKey: string
  counter: number
  transports: Generated<string>
  rpId: string
  backedUp: boolean
  name: string
  createdAt: Generated<Date>
  lastUsedAt: Date | null
}

export interface PasskeyChallengeTable {
  challengeHash: string
  purpose: 'register' | 'sign-in' | 'second-factor'
  userId: string | null
  expiresAt: Date
}

export interface SocialLinkTable {
  id: Generated<string>
  userId: string
  provider: string
  issuer: string
  subject: string
  username: string
  emailKey: string | null
  createdAt: Generated<Date>
}

export interface ApiTokenTable {
  id: Generated<string>
  userId: string
  name: string
  tokenHash: string
  scopes: string
  createdAt: Generated<Date>
  expiresAt: Date | null
  lastUsedAt: Date | null
}

/** What is known of the archive of all files of a share before they are read. */
export interface ZipPlanSummary {
  /** The revision of the share that has these files. */
  revision: number
  files: number
  /** Bytes of the archive. */
  size: number
  /** The archive's validator, without quotes. */
  etag: string
}

export interface ShareTable {
  id: string
  uid: Generated<string>
  ownerId: string | null
  ownerTokenHash: string | null
  name: string | null
  description: string | null
  passwordHash: string | null
  passwordVersion: Generated<number>
  maxViews: number | null
  views: Generated<number>
  expiresAt: Date | null
  removedReason: string | null
  createdAt: Generated<Date>
  activeAt: Generated<Date>
  completedAt: Date | null
  uploadOpen: Generated<boolean>
  reserved: Generated<number>
  reservedFiles: Generated<number>
  reservedNameBytes: Generated<number>
  openedFrom: string | null
  size: Generated<number>
  revision: Generated<number>
  zipRevision: number | null
  zipState: Generated<'none' | 'preparing' | 'ready' | 'failed'>
  zipProgress: Generated<number>
  zipSize: number | null
  zipPlan: ZipPlanSummary | null
  reverseShareId: string | null
  receiverId: string | null
  private: Generated<boolean>
  maxSize: number | null
  senderName: string | null
  senderEmail: string | null
  senderMessage: string | null
  publishedAt: Date | null
  senderChangedAt: Date | null
  previewedRevision: Generated<number>
  deletedAt: Date | null
  deletedBy: string | null
  restoredExpiresAt: Date | null
  askedAt: Date | null
  remindedOf: Date | null
  notify: Generated<'none' | 'first' | 'every'>
  notifiedUntil: Date | null
  kind: Generated<'files' | 'text'>
  linkLabel: string | null
  linkEnabled: Generated<boolean>
  maxDownloads: number | null
  downloads: Generated<number>
  downloadLeases: Generated<unknown>
  deleteAfterDownloads: Generated<boolean>
  encrypted: Generated<boolean>
  verifyRecipients: Generated<boolean>
  everyoneNotifiedAt: Date | null
}

export interface ShareLinkTable {
  id: string
  uid: Generated<string>
  shareId: string
  label: string | null
  passwordHash: string | null
  passwordVersion: Generated<number>
  expiresAt: Date | null
  maxViews: number | null
  views: Generated<number>
  maxDownloads: number | null
  downloads: Generated<number>
  downloadLeases: Generated<unknown>
  enabled: Generated<boolean>
  createdAt: Generated<Date>
  recipientId: string | null
  verifyEmail: Generated<boolean>
}

interface RetiredLinkTable {
  id: string
  shareId: string
  /** The uid that the link had or still has. */
  linkUid: string
  retiredAt: Generated<Date>
}

interface RetiredUploadLinkTable {
  token: string
  reverseShareId: string
  retiredAt: Generated<Date>
}

interface EmailCodeTable {
  linkUid: string
  codeHash: string
  tries: Generated<number>
  expiresAt: Date
}

interface ShareDocumentTable {
  shareId: string
  revision: number
  published: Buffer | null
  draft: Buffer | null
}

export interface ReverseShareTable {
  id: Generated<string>
  token: string
  ownerId: string
  name: string | null
  passwordHash: string | null
  maxSize: number
  maxUses: number
  uses: Generated<number>
  sendEmailNotification: Generated<boolean>
  simplified: Generated<boolean>
  publicAccess: Generated<boolean>
  askName: Generated<'off' | 'optional' | 'required'>
  askEmail: Generated<'off' | 'optional' | 'required'>
  askMessage: Generated<'off' | 'optional' | 'required'>
  allowedTypes: Generated<string[]>
  enabled: Generated<boolean>
  /** Bytes of all shares received through it; null: no limit. */
  maxTotalSize: number | null
  expiresAt: Date | null
  createdAt: Generated<Date>
  notifiedAt: Date | null
  arrivals: Generated<string[]>
  deletedAt: Date | null
  deletedBy: string | null
  restoredExpiresAt: Date | null
}

interface ShareRecipientTable {
  id: Generated<string>
  shareId: string
  email: string
  emailKey: string
  mailId: string | null
  outcome: 'sent' | 'failed' | null
  error: string | null
  sentAt: Date | null
  createdAt: Generated<Date>
  openedAt: Date | null
}

interface RecipientDownloadTable {
  recipientId: string
  /** The id of a file; '' for a zip, or for all files. */
  item: string
  isHandedOut: boolean
  /** The revision of the share, if it is all of its files. */
  revision: number | null
  at: Date
}

interface KnownRecipientTable {
  userId: string
  emailKey: string
  email: string
  usedAt: Date
}

export interface FileTable {
  id: Generated<string>
  shareId: string
  name: string
  size: number
  type: string | null
  objectKey: string
  uploadId: string | null
  partSize: number
  partCount: number
  crc32: number | null
  published: Generated<boolean>
  createdAt: Generated<Date>
  completedAt: Date | null
  removedAt: Date | null
  pendingName: string | null
  chunks: number | null
  publishedRevision: number | null
  packId: string | null
}

interface PackTable {
  id: string
  shareUid: string
  objectId: string
  manifestHash: string
  files: number
}

export interface PreviewTable {
  fileId: string
  kind: 'image' | 'raw' | 'video' | 'document'
  attempts: Generated<number>
  dueAt: Generated<Date>
  error: string | null
  objectKey: string | null
  width: number | null
  height: number | null
  thumbnailSize: number | null
  previewSize: number | null
  createdAt: Date | null
}

export interface FilePartTable {
  fileId: string
  number: number
  size: number
  etag: string
  crc32: number
}

export interface SettingTable {
  key: string
  value: ColumnType<unknown, string, string>
  updatedAt: Generated<Date>
}

export interface MailTable {
  id: Generated<string>
  kind: string
  recipient: string
  subject: string
  body: string | null
  shareId: string | null
  state: Generated<'queued' | 'sending' | 'sent' | 'failed'>
  attempts: Generated<number>
  error: string | null
  createdAt: Generated<Date>
  dueAt: Generated<Date>
  claimedAt: Date | null
  sentAt: Date | null
  replyTo: string | null
  /** The link that a code is for. */
  linkUid: string | null
  /** When it is no longer sent; null: never. */
  expiresAt: Date | null
  /** A BCP 47 code; null: that of the site. */
  language: string | null
}

interface RateLimitTable {
  key: string
  points: Generated<number>
  expire: number | null
}

interface DeletedObjectTable {
  key: string
  uploadId: string | null
  deletedAt: Generated<Date>
}

export interface ZipLeaseTable {
  id: string
  shareUid: string
  until: Date
}

export interface DownloadTable {
  id: Generated<number>
  shareUid: string
  linkUid: string
  visitor: string
  network: string
  item: string
  isZip: boolean
  size: number
  ranges: Generated<string>
  /** Including what was sent again. */
  bytesSent: Generated<number>
  usesLimit: Generated<boolean>
  startedAt: Generated<Date>
  updatedAt: Generated<Date>
  completeAt: Date | null
}

export interface ActivityTable {
  id: Generated<number>
  /** null for the activity of an upload link. */
  shareUid: string | null
  reverseShareId: string | null
  link: string
  at: Date
  kind: 'opened' | 'downloaded' | 'partly' | 'refused' | 'handed-out' | 'begun' | 'received'
  visitor: string
  network: string
  file: string | null
  isZip: Generated<boolean>
  bytes: number | null
  size: number | null
  complete: Generated<boolean>
  reason: string | null
  device: string | null
  address: string | null
  downloadId: number | null
  /** The id that a share had when it was received. */
  shareId: string | null
  files: number | null
  senderName: string | null
  senderEmail: string | null
}

export interface DownloadNoticeTable {
  shareUid: string
  /** The id of a file; '' for a zip. */
  item: string
  file: string | null
  isHandedOut: boolean
}

export interface OldLinkTable {
  address: string
  shareId: string | null
  fileId: string | null
  reverseShareId: string | null
}

export interface Database {
  user: UserTable
  session: SessionTable
  loginToken: LoginTokenTable
  recoveryCode: RecoveryCodeTable
  passwordToken: PasswordTokenTable
  emailToken: EmailTokenTable
  passkey: PasskeyTable
  passkeyChallenge: PasskeyChallengeTable
  socialLink: SocialLinkTable
  apiToken: ApiTokenTable
  share: ShareTable
  shareLink: ShareLinkTable
  retiredLink: RetiredLinkTable
  emailCode: EmailCodeTable
  download: DownloadTable
  activity: ActivityTable
  downloadNotice: DownloadNoticeTable
  shareDocument: ShareDocumentTable
  file: FileTable
  pack: PackTable
  filePart: FilePartTable
  preview: PreviewTable
  reverseShare: ReverseShareTable
  retiredUploadLink: RetiredUploadLinkTable
  shareRecipient: ShareRecipientTable
  recipientDownload: RecipientDownloadTable
  knownRecipient: KnownRecipientTable
  setting: SettingTable
  mail: MailTable
  rateLimit: RateLimitTable
  deletedObject: DeletedObjectTable
  runningZip: ZipLeaseTable
  oldLink: OldLinkTable
}

/** The database or a transaction. Every query function works with both. */
export type Db = Kysely<Database> | Transaction<Database>
