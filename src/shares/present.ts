import type { Settings } from '../config/settings.ts'
import type { Db } from '../db/schema.ts'
import type { CreatedShare, OwnerPage, Sender } from './contract.ts'
import { editedFiles } from './editing/queries.ts'
import type { Right } from './owner.ts'
import { ownerOf, type Share } from './queries.ts'

/** Formats a time for the API: ISO 8601 in UTC. null ("never") becomes 1970-01-01T00:00:00.000Z. */
export function timeOf(date: Date | null): string {
  return (date ?? new Date(0)).toISOString()
}

/** Returns a share for its creator. `baseUrl` is the URL of this installation. */
export function createdShare({ id, name, description, expiresAt }: Share, baseUrl: string, ownerToken?: string): CreatedShare {
  return { id, name, description, expiration: timeOf(expiresAt), link: linkOf(baseUrl, id), ...(ownerToken && { ownerToken }) }
}

/**
 * Returns a share for its owner, with unsaved changes. A receiver sees only the published state.
 */
export async function ownerPage(db: Db, settings: Settings, share: Share, right: Right, baseUrl: string): Promise<OwnerPage> {
  const [rows, owner] = await Promise.all([editedFiles(db, share.id), ownerOf(db, share.ownerId)])
  const all = rows.map(withoutNullPreview)
  const { files, ...unsaved } = right === 'receiver' ? publishedFiles(all) : filesBeingEdited(all)
  const {
    id,
    name,
    description,
    expiresAt,
    passwordHash,
    views,
    maxViews,
    downloads,
    maxDownloads,
    completedAt,
    uploadOpen,
    receiverId,
    kind,
    encrypted,
  } = share
  return {
    id,
    name,
    description,
    expiration: timeOf(expiresAt),
    files,
    ...unsaved,
    creator: owner ? { username: owner.username } : null,
    hasPassword: passwordHash !== null,
    size: files.reduce((sum, file) => sum + Number(file.size), 0),
    kind,
    encrypted,
    views,
    maxViews,
    downloads,
    maxDownloads,
    deleteAfterDownloads: share.deleteAfterDownloads,
    notify: share.notify,
    verifyRecipients: share.verifyRecipients,
    maxSize: Math.min(settings['share.maxSize'], share.maxSize ?? Number.POSITIVE_INFINITY),
    completed: completedAt !== null,
    editing: uploadOpen && completedAt !== null,
    link: linkOf(baseUrl, id),
    publicAccess: !share.private,
    received: receiverId !== null,
    changedAt: share.senderChangedAt?.toISOString() ?? null,
    editable: right !== 'receiver',
    removedReason: share.removedReason,
    sender: senderDetails(share),
  }
}

type FileRow = Awaited<ReturnType<typeof editedFiles>>[number]
type EditedFile = ReturnType<typeof withoutNullPreview>

function withoutNullPreview({ preview, ...file }: FileRow) {
  return { ...file, ...(preview && { preview }) }
}

function filesBeingEdited(all: EditedFile[]) {
  return {
    files: all.filter(({ finished, removed }) => finished && !removed),
    removedFiles: all.filter(({ removed }) => removed),
    unfinishedFiles: all.filter(({ finished }) => !finished),
  }
}

/** The files that visitors and the receiver see until the sender saves. */
function publishedFiles(all: EditedFile[]) {
  const files = all.filter(({ published }) => published).map((file) => ({ ...file, name: file.olderName ?? file.name, olderName: null }))
  return { files, removedFiles: [], unfinishedFiles: [] }
}

/** Returns the sender's details, or null if the share has no sender. */
function senderDetails({ senderName: name, senderEmail: email, senderMessage: message }: SenderColumns): Sender | null {
  return name === null && email === null && message === null ? null : { name, email, message }
}

type SenderColumns = Pick<Share, 'senderName' | 'senderEmail' | 'senderMessage'>

/** Returns the URL of a share. */
export function linkOf(baseUrl: string, id: string): string {
  return `${baseUrl}/share/${id}`
}
