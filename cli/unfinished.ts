import { scryptSync } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { interruptedUploads, type JournalFile, type JournalShare, keepJournal } from '../uploader/journal.ts'
import type { Journal, NewUpload } from '../uploader/types.ts'
import { stateFolder } from './folders.ts'
import { StateFile } from './state-file.ts'

/** What is stored about an upload, apart from its files. */
export interface UploadShare extends JournalShare {
  url: string
  /** Lets a user without an account continue. */
  ownerToken?: string
  /** Absolute paths of the command's arguments. */
  paths: string[]
  /** The file that has the bytes of standard input until they are uploaded. */
  stdin?: { path: string; name: string }
  /** The keys of an encrypted share, in base64url. */
  keyMaterial?: string
  /** Identifies the same command. */
  command: string
}

export interface Unfinished {
  /** Where it is stored. */
  path: string
  share: UploadShare
  files: JournalFile[]
}

const folder = () => join(stateFolder(), 'uploads')

/**
 * Returns a hash of a command: its paths, options and server. It is slow to compute, because the
 * options may contain a password.
 */
export function commandOf(...parts: unknown[]): string {
  return scryptSync(JSON.stringify(parts), 'razorbill', 16).toString('hex')
}

/** Returns the uploads that were started here and not finished. */
export function unfinishedUploads(): Unfinished[] {
  const names = existsSync(folder()) ? readdirSync(folder()).filter((name) => name.endsWith('.upload')) : []
  return names.flatMap((name) => {
    const path = join(folder(), name)
    return interruptedUploads(new StateFile(path), null).map(({ share, files }) => ({ path, share: share as UploadShare, files }))
  })
}

/** Returns the path where an upload is stored. */
export function pathOf({ url, id }: Pick<UploadShare, 'url' | 'id'>): string {
  return join(folder(), `${new URL(url).host.replace(/[^\w.-]/g, '_')}-${id}.upload`)
}

/** Stores an upload and returns its journal; replaces an earlier one atomically. */
export function saveUnfinished(share: UploadShare, files: readonly NewUpload[]): Journal {
  const path = pathOf(share)
  rmSync(`${path}.new`, { force: true })
  const state = new StateFile(`${path}.new`)
  const journal = keepJournal(state, share, files)
  state.moveTo(path)
  return journal
}

/** Deletes the record of an upload and its copy of standard input. */
export function forget({ share }: Pick<Unfinished, 'share'>): void {
  rmSync(pathOf(share), { force: true })
  if (share.stdin) rmSync(share.stdin.path, { force: true })
}

/** Returns a path for the bytes of standard input. */
export const spoolPath = () => join(folder(), `stdin-${process.pid}-${Date.now()}`)
