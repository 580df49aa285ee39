import { existsSync, statSync } from 'node:fs'
import type { ShareKey } from '../uploader/encryption/keys.ts'
import { withoutBytes } from '../uploader/journal.ts'
import type { FileSource, NewUpload } from '../uploader/types.ts'
import { accountFor } from './account.ts'
import { Failure } from './failure.ts'
import { DiskFile } from './file-slice.ts'
import { gather } from './gather.ts'
import { hold } from './hold.ts'
import { busy, readLink, reportShare } from './link.ts'
import type { ResumeOptions } from './options.ts'
import type { Output } from './output.ts'
import { send } from './send.ts'
import { Server } from './server.ts'
import { listedFiles } from './shared-files.ts'
import { plural } from './texts.ts'
import { forget, type Unfinished, unfinishedUploads } from './unfinished.ts'
import { seal, shareKeyFor } from './upload-encryption.ts'

/**
 * `razorbill resume`: continues interrupted uploads, all or the named ones; `--discard` deletes
 * them.
 */
export async function resume(positionals: readonly string[], { discard }: ResumeOptions, output: Output): Promise<void> {
  const ids = positionals.map((text) => readLink(text, () => '').id)
  const all = unfinishedUploads()
  const chosen = ids.length > 0 ? all.filter(({ share }) => ids.includes(share.id)) : all
  const unknown = ids.find((id) => !chosen.some(({ share }) => share.id === id))
  if (unknown) throw new Failure('notFound', 'no_such_upload', `No upload to ${unknown} was stopped here.`)
  if (chosen.length === 0) return output.note('No upload was stopped.')
  for (const upload of chosen) {
    if (discard) await discardUpload(upload, output)
    else if (!(await resumeUpload(upload, output))) throw shareNotFound(upload)
  }
}

/**
 * Continues an upload; false when its share no longer exists, and the upload is forgotten. @throws
 * Failure when it stops again
 */
export async function resumeUpload(upload: Unfinished, output: Output): Promise<boolean> {
  const { share, path } = upload
  const release = hold(path)
  if (!release) throw busy(share.link)
  try {
    const server = serverOf(upload)
    const completed = await isCompleted(server, share.id)
    if (completed === null) {
      forget(upload)
      return false
    }
    const sent = completed ? upload.files : await sendRest(server, upload, output)
    forget(upload)
    reportShare(share, share.keyMaterial === undefined ? await filesOf(server, share.id) : sent, output)
    return true
  } finally {
    release()
  }
}

const filesOf = async (server: Server, id: string) =>
  listedFiles((await server.call('GET /api/shares/:id/from-owner', { params: { id } })).files)

/** Returns null when the share no longer exists. */
async function isCompleted(server: Server, id: string): Promise<boolean | null> {
  try {
    return (await server.call('GET /api/shares/:id/from-owner', { params: { id } })).completed
  } catch (error) {
    if (error instanceof Failure && error.ending === 'notFound') return null
    throw error
  }
}

/** Sends what is missing, and returns the files that the share then has. */
async function sendRest(server: Server, upload: Unfinished, output: Output): Promise<FileSource[]> {
  const { share, files } = upload
  const { uploads, leave } = match(upload, await filesNow(upload), { key: await shareKeyFor(share), output })
  const arrived = files.filter(({ done }) => done).length
  output.note(`Continuing ${share.link} (${arrived} of ${plural(files.length, 'file')} had arrived)`)
  await send(server, share, uploads, leave, output)
  return uploads.filter((file) => !leave.has(file)).map(({ source }) => source.plain ?? source)
}

/** Returns what the same command would upload now. */
async function filesNow({ share: { paths, stdin } }: Unfinished): Promise<DiskFile[]> {
  const { files } = await gather(paths)
  if (!stdin || !existsSync(stdin.path)) return files
  const { size, mtimeMs } = statSync(stdin.path)
  return [...files, new DiskFile(stdin.name, stdin.path, { size, lastModified: mtimeMs })]
}

/**
 * Matches the files of an upload to those on disk. Unchanged files continue, changed ones are
 * uploaded again, and new ones are added. A file that was uploaded and no longer exists on disk is
 * kept. With a `key`, all of them are encrypted.
 */
function match({ files }: Unfinished, now: readonly DiskFile[], { key, output }: { key: ShareKey | null; output: Output }) {
  const unmatched = new Map<string, DiskFile[]>()
  for (const file of now) unmatched.set(identityOf(file), [...(unmatched.get(identityOf(file)) ?? []), file])
  const names = new Set(now.map(({ name }) => name))
  const leave = new Set<NewUpload>()
  const existing = files.flatMap((file): NewUpload[] => {
    const source = unmatched.get(identityOf(file))?.shift()
    const { fileId, done } = file
    if (!source && !fileId) return []
    const plain = source ?? withoutBytes(file)
    const upload = { source: key ? seal(plain, key, file) : plain, ...(fileId && { fileId }), done }
    const isDescribed = key === null || file.crc32 !== undefined
    if (source || (done && isDescribed && !names.has(file.name))) return [upload]
    output.note(`${file.name} has changed or was deleted; it is removed from the share`)
    leave.add({ ...upload, done: false })
    return []
  })
  const fresh = [...unmatched.values()].flat().map((source): NewUpload => ({ source: key ? seal(source, key) : source }))
  return { uploads: [...existing, ...leave, ...fresh], leave }
}

const identityOf = ({ name, size, lastModified }: { name: string; size: number; lastModified: number | null }) =>
  `${size}:${lastModified}:${name}`

async function discardUpload(upload: Unfinished, output: Output): Promise<void> {
  const { share, path } = upload
  const release = hold(path)
  if (!release) throw busy(share.link)
  try {
    const ignoreMissing = (error: unknown) => {
      if (!(error instanceof Failure && error.ending === 'notFound')) throw error
    }
    await serverOf(upload)
      .call('DELETE /api/shares/:id', { params: { id: share.id } })
      .catch(ignoreMissing)
    forget(upload)
    output.note(`Discarded: ${share.link}`)
  } finally {
    release()
  }
}

function serverOf({ share }: Unfinished): Server {
  const server = new Server(accountFor(share.url))
  if (share.ownerToken) server.cookies.set(`share_${share.id}_owner`, share.ownerToken)
  return server
}

const shareNotFound = ({ share }: Unfinished) =>
  new Failure('notFound', 'share_not_found', `The share ${share.link} no longer exists. Upload its files again: razorbill up`)
