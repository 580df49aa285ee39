import { scryptSync } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { interruptedUploads, type JournalFile, type JournalShare, keepJournal } from '../uploader/journal.ts'
import type { Journal, NewUpload } from '../uploader/types.ts'
import { stateFolder } from './folders.ts'
import { StateFile } from './state-file.ts'

/** What is written down of an upload beside its files. */
export interface UploadShare extends JournalShare {
  url: string
  /** Lets somebody without an account go on. */
  ownerToken?: string
  /** What the command was given, with the folder it was in. */
  paths: string[]
  /** What came from standard input: where its bytes are kept until they have arrived. */
  stdin?: { path: string; name: string }
  /** Tells the same command again from another one. */
  command: string
}

export interface Unfinished {
  /** Where it is written down. */
  path: string
  share: UploadShare
  files: JournalFile[]
}

const folder = () => join(stateFolder(), 'uploads')

/** Stands for a command: the same paths with the same options, sent to the same server. There may be a password in it: it takes time to guess. */
export function commandOf(...said: unknown[]): string {
  return scryptSync(JSON.stringify(said), 'razorbill', 16).toString('hex')
}

/** The uploads that were begun here and not ended. */
export function unfinishedUploads(): Unfinished[] {
  const names = existsSync(folder()) ? readdirSync(folder()).filter((name) => name.endsWith('.upload')) : []
  return names.flatMap((name) => {
    const path = join(folder(), name)
    return interruptedUploads(new StateFile(path), null).map(({ share, files }) => ({ path, share: share as UploadShare, files }))
  })
}

/** Where an upload is written down. */
export function pathOf({ url, id }: Pick<UploadShare, 'url' | 'id'>): string {
  return join(folder(), `${new URL(url).host.replace(/[^\w.-]/g, '_')}-${id}.upload`)
}

/** Writes an upload down from now on; what was written before is replaced at once. */
export function saveUnfinished(share: UploadShare, files: readonly NewUpload[]): Journal {
  const path = pathOf(share)
  rmSync(`${path}.new`, { force: true })
  const state = new StateFile(`${path}.new`)
  const journal = keepJournal(state, share, files)
  state.moveTo(path)
  return journal
}

/** Forgets an upload, with what was kept of standard input. */
export function forget({ share }: Pick<Unfinished, 'share'>): void {
  rmSync(pathOf(share), { force: true })
  if (share.stdin) rmSync(share.stdin.path, { force: true })
}

/** Where the bytes of standard input are kept. */
export const spoolPath = () => join(folder(), `stdin-${process.pid}-${Date.now()}`)
