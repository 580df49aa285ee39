import { allowedTypeMaxLength, allowedTypePattern, allowedTypesMax, unlimitedUses } from '../../reverse-shares/limits.ts'
import { derivedLink, derivedUuid } from '../core/ids.ts'
import type { FieldRule, SourceReverseShare, SourceShare } from '../core/source.ts'
import { flag, type Row, text, textOrNull, time } from '../core/sqlite.ts'
import { type Bytes, fileOf } from './files.ts'

const typeShape = new RegExp(allowedTypePattern)
const rules: Record<string, FieldRule> = { HIDDEN: 'off', OPTIONAL: 'optional', REQUIRED: 'required' }

/** Returns the id that a reverse share gets here. */
const reverseShareId = (id: unknown) => derivedUuid('palmr reverse share', text(id))

/** Returns a reverse share; `alias` is its link, or its id without one. */
export function reverseShareOf(row: Row, alias: string | undefined, ownerId: string): SourceReverseShare {
  const [maxFiles, maxFileSize] = [Number(row.maxFiles ?? 0), Number(row.maxFileSize ?? 0)]
  const token = alias ?? text(row.id)
  const types = text(row.allowedFileTypes).toLowerCase().split(',')
  const allowedTypes = types.map((type) => `.${type.trim().replace(/^\./, '')}`).filter((type) => type !== '.')
  const hasOnlyValid = allowedTypes.length <= allowedTypesMax && allowedTypes.every(isType)
  return {
    ...{ id: reverseShareId(row.id), token, name: textOrNull(row.name), ownerId, passwordHash: textOrNull(row.password) },
    maxSize: maxFileSize > 0 && maxFiles > 0 ? maxFileSize * maxFiles : null,
    ...{ remainingUses: unlimitedUses, sendEmailNotification: false, simplified: false, publicAccess: false, allowedTypes },
    askName: rules[text(row.nameFieldRequired)] ?? 'optional',
    askEmail: rules[text(row.emailFieldRequired)] ?? 'optional',
    expiresAt: time(row.expiration),
    createdAt: time(row.createdAt) ?? new Date(0),
    problem: problemOf(row, hasOnlyValid),
    changes: changesOf(row, maxFiles, maxFileSize),
    oldLinks: [`palmr:${token}`],
  }
}

const isType = (type: string) => typeShape.test(type) && type.length <= allowedTypeMaxLength

function problemOf({ isActive }: Row, hasOnlyValidTypes: boolean): string | null {
  if (!flag(isActive)) return 'is turned off in Palmr'
  return hasOnlyValidTypes ? null : 'its file types are not valid here'
}

function changesOf({ description }: Row, maxFiles: number, maxFileSize: number): string[] {
  return [
    ...(maxFiles > 0 || maxFileSize > 0
      ? ['limits the size of all files of a sender together, not the number or size of single files']
      : []),
    ...(text(description) ? ['its description is not shown here'] : []),
  ]
}

/** The files that one sender sent through a reverse share become one private share of its owner. */
export function receivedShares(reverseShare: Row, files: Row[], bytes: Bytes): SourceShare[] {
  const senders = Map.groupBy(files, ({ uploaderName, uploaderEmail }) => JSON.stringify([text(uploaderName), text(uploaderEmail)]))
  return [...senders].map(([sender, sent]) => {
    const key = ['palmr received', text(reverseShare.id), sender]
    const [senderName, senderEmail] = [textOrNull(sent[0]?.uploaderName), textOrNull(sent[0]?.uploaderEmail)]
    return {
      // The object names have random parts, so that no one can guess the link.
      id: derivedLink(sent.map(({ objectName }) => text(objectName)).join('\n'), ...key),
      uid: derivedUuid(...key),
      ...{ name: textOrNull(reverseShare.name), description: null, views: 0, maxViews: null, expiresAt: null, removedReason: null },
      ...{ ownerId: null, reverseShareId: reverseShareId(reverseShare.id), senderName, senderEmail },
      createdAt: new Date(sent.reduce((latest, { createdAt }) => Math.max(latest, time(createdAt)?.getTime() ?? 0), 0)),
      ...{ passwordHash: null, recipients: [], problem: null, changes: [], oldLinks: [] },
      files: async () => sent.map((row) => fileOf(bytes, text(reverseShare.id), row)),
    }
  })
}
