import { unlimitedUses } from '../../reverse-shares/limits.ts'
import { derivedLink, derivedUuid } from '../core/ids.ts'
import type { SourceReverseShare, SourceShare } from '../core/source.ts'
import { type Row, text } from '../core/sqlite.ts'
import { fileOf, type Gokapi, seconds, userId } from './files.ts'

const megabyte = 1_048_576

/** A request to send files. Its link has the key that lets visitors upload. */
export function requestOf({ rows }: Gokapi, row: Row): SourceReverseShare {
  const [id, key] = [text(row.id), text(row.apiKey)]
  const received = rows('FileMetaData').filter(({ UploadRequestId }) => text(UploadRequestId) === id).length
  const maxFiles = Number(row.maxFiles)
  return {
    id: derivedUuid('gokapi request', id),
    token: derivedLink(key, 'gokapi request', id),
    name: text(row.name) || null,
    ownerId: userId(row.userid),
    maxSize: Number(row.maxSize) > 0 ? Number(row.maxSize) * megabyte : null,
    remainingUses: maxFiles > 0 ? Math.max(0, maxFiles - received) : unlimitedUses,
    ...{ passwordHash: null, sendEmailNotification: false, simplified: false, publicAccess: false },
    ...{ askName: 'off', askEmail: 'off', allowedTypes: [] },
    expiresAt: Number(row.expiry) > 0 ? seconds(row.expiry) : null,
    createdAt: seconds(row.creation),
    problem: null,
    changes: text(row.note) ? ['its note is not shown here'] : [],
    oldLinks: [`gokapi-request:${id}:${key}`],
  }
}

/** The files that a request received become one private share of its owner. */
export function receivedShares(gokapi: Gokapi): SourceShare[] {
  const requests = new Map(gokapi.rows('UploadRequests').map((row) => [text(row.id), row]))
  const received = gokapi.rows('FileMetaData').filter((row) => text(row.UploadRequestId))
  return [...Map.groupBy(received, (row) => text(row.UploadRequestId))].map(([id, files]) => {
    const request = requests.get(id)
    return {
      id: derivedLink(text(request?.apiKey), 'gokapi received', id),
      uid: derivedUuid('gokapi received', id),
      name: text(request?.name) || null,
      ...{ description: null, views: 0, maxViews: null, expiresAt: null, removedReason: null, ownerId: null },
      reverseShareId: derivedUuid('gokapi request', id),
      ...{ senderName: null, senderEmail: null, recipients: [], changes: [], oldLinks: [], passwordHash: null },
      createdAt: seconds(files.reduce((latest, row) => Math.max(latest, Number(row.UploadDate)), 0)),
      problem: request ? null : 'its request was deleted',
      files: async () => files.map((row) => fileOf(gokapi, row)),
    }
  })
}
