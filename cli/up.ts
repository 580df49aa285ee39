import { randomUUID } from 'node:crypto'
import { createWriteStream, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { NewShare } from '../src/shares/contract.ts'
import type { NewUpload } from '../uploader/types.ts'
import { accountInUse } from './account.ts'
import { askOnce } from './ask.ts'
import { usage } from './failure.ts'
import { DiskFile } from './file-slice.ts'
import { gather } from './gather.ts'
import { hold } from './hold.ts'
import { reportShare } from './link.ts'
import type { UpOptions } from './options.ts'
import type { Output } from './output.ts'
import { resumeUpload } from './resume.ts'
import { send } from './send.ts'
import { Server } from './server.ts'
import { checkedId } from './shared-files.ts'
import { expirationOf, limitOf, plural, sizeText } from './texts.ts'
import { commandOf, pathOf, spoolPath, type UploadShare, unfinishedUploads } from './unfinished.ts'
import { newEncryption, seal, shareKeyFor } from './upload-encryption.ts'

const none: ReadonlySet<NewUpload> = new Set()

/**
 * `razorbill up`: creates a share of files, folders or standard input. The same command continues
 * an interrupted upload.
 */
export async function up(positionals: readonly string[], options: UpOptions, output: Output): Promise<void> {
  if (positionals.length === 0) throw usage('Which files? razorbill up FILE…')
  const server = new Server(accountInUse())
  const paths = positionals.filter((path) => path !== '-').map((path) => resolve(path))
  const piped = paths.length < positionals.length
  const command = piped ? randomUUID() : commandOf(server.url, paths, options)
  const earlier = unfinishedUploads().find(({ share }) => share.command === command)
  if (earlier && (await resumeUpload(earlier, output))) return
  const gathered = await gather(paths)
  for (const path of gathered.skipped) output.note(`Left out: ${path} (not a file, or a link to a folder)`)
  const share = await newShareOf(options)
  const stdin = piped ? await spool(options['stdin-name'] ?? 'stdin') : undefined
  const files = stdin ? [...gathered.files, stdin] : gathered.files
  if (files.length === 0) throw usage('There are no files to upload.')
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  output.note(`Uploading ${plural(files.length, 'file')} (${sizeText(bytes)}) to ${server.url}`)
  const encryption = options.encrypt ? await newEncryption(share) : null
  const { link, expiration, ownerToken, ...created } = await server.call('POST /api/shares', { body: encryption?.body ?? share })
  const id = checkedId(created.id)
  const begun: UploadShare = {
    ...{ id, link, expiration, ownerId: null, url: server.url, paths, command },
    ...encryption?.stored,
    ...(ownerToken && { ownerToken }),
    ...(stdin && { stdin: { path: stdin.path, name: stdin.name } }),
  }
  if (ownerToken) server.cookies.set(`share_${id}_owner`, ownerToken)
  const release = hold(pathOf(begun))
  const key = await shareKeyFor(begun)
  const sources = files.map((file) => ({ source: key ? seal(file, key) : file }))
  await send(server, begun, sources, none, output).finally(() => release?.())
  reportShare(begun, files, output)
  if (encryption && options.to) output.note('The emails have the link without its key. Send the recipients the whole link.')
}

async function newShareOf(options: UpOptions): Promise<NewShare> {
  const { id, name, description, expires, to, password: passwordOption } = options
  const maxViews = limitOf('--max-views', options['max-views'])
  const maxDownloads = limitOf('--max-downloads', options['max-downloads'])
  const password = passwordOption === '' ? await askOnce((prompt) => prompt.askSecret('Password for the share: ')) : passwordOption
  const security = { ...(password && { password }), ...(maxViews && { maxViews }), ...(maxDownloads && { maxDownloads }) }
  return {
    ...(id && { id }),
    ...(name && { name }),
    ...(description && { description }),
    ...(expires && { expiration: expirationOf(expires) }),
    ...(to && { recipients: to }),
    ...(options['verify-email'] && { verifyRecipients: true }),
    security,
  }
}

/**
 * Saves standard input to a file until it is uploaded: the server needs its size first, and a pipe
 * can't be read twice.
 */
async function spool(name: string): Promise<DiskFile> {
  const path = spoolPath()
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }))
  const { size, mtimeMs } = statSync(path)
  return new DiskFile(name, path, { size, lastModified: mtimeMs })
}
