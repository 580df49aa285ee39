import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { zipNames } from '../src/downloads/zip/names.ts'
import type { SharePage } from '../src/shares/contract.ts'
import type { SealedFile } from '../uploader/encryption/open-stream.ts'
import { accountFor, accountInUse } from './account.ts'
import { decryptPage } from './decrypt-page.ts'
import { Failure, usage } from './failure.ts'
import { type Download, fetchFile } from './fetch-file.ts'
import { stateFolder } from './folders.ts'
import { hold } from './hold.ts'
import { onInterrupt } from './interrupt.ts'
import { busy, linkedFile, readLink } from './link.ts'
import { Meter } from './meter.ts'
import type { GetOptions } from './options.ts'
import type { Output } from './output.ts'
import { Server } from './server.ts'
import { listedFiles, wantedFiles } from './shared-files.ts'
import { StateFile } from './state-file.ts'
import { Target } from './target.ts'
import { plural, sizeText } from './texts.ts'
import { unlock } from './unlock.ts'
import { VisitorKeys } from './visitor-keys.ts'

const parallelFiles = 4
const sameCommand = 'Run the same command again to continue.'

/**
 * `razorbill get`: downloads a share, or some of its files and folders, into a folder, and continues
 * an interrupted download.
 */
export async function get(positionals: readonly string[], options: GetOptions, output: Output): Promise<void> {
  const [link, ...wanted] = positionals
  if (!link) throw usage('Which share? razorbill get LINK [FILE…]')
  const { url, id } = readLink(link, () => accountInUse().url)
  const keys = new VisitorKeys(link, options.password)
  const server = new Server(accountFor(url))
  const folder = resolve(options.output ?? '.')
  const statePath = join(stateFolder(), 'downloads', `${hashOf(url, id, folder)}.download`)
  const release = hold(statePath)
  if (!release) throw busy(link)
  try {
    const state = new StateFile(statePath)
    const { share, sealed, missing } = await decryptPage(server, await unlock(server, id, keys, state), keys)
    const ids = wantedFiles(share.files, wanted, linkedFile(link))
    const target = await Target.open(folder)
    const files = await plan(share, ids, { server, id, target, state, sealed, force: options.force === true })
    const isWhole = files.length === listedFiles(share.files).length
    await fetchAll(files, isWhole ? missing : [], output)
    if (isWhole) state.remove() // else it knows other files of the share
    report(share, files, folder, output)
  } finally {
    release()
  }
}

/**
 * Returns where each file is saved.
 * @throws Failure `file_exists`: a file exists that this download did not create; before anything
 *   is written
 */
async function plan(
  share: SharePage,
  wanted: ReadonlySet<string>,
  {
    sealed,
    ...common
  }: Omit<Download, 'file' | 'name' | 'size' | 'isDone' | 'sealed'> & {
    sealed: Map<string, SealedFile>
    force: boolean
  },
) {
  const listed = listedFiles(share.files)
  const names = zipNames(listed.map(({ name }) => name)) // of all files, so that each has the same name in every run
  const files: Download[] = []
  const existing: string[] = []
  for (const [index, file] of listed.entries()) {
    if (!wanted.has(file.id)) continue
    const name = names[index] ?? file.name
    const found = await common.target.look(name)
    const isDone = found !== null && common.state.getItem(`done:${file.id}`) === `${found.size}:${found.mtimeMs}`
    if (found && !isDone && !common.force) existing.push(name)
    files.push({ ...common, file: file.id, name, size: file.size, isDone, sealed: sealed.get(file.id) ?? null })
  }
  if (existing.length === 0) return files
  const [first] = existing
  const text =
    existing.length === 1
      ? `${first} exists already. Replace it with --force.`
      : `${first} and ${existing.length - 1} more exist already. Replace them with --force.`
  throw new Failure('exists', 'file_exists', text, { files: existing })
}

/**
 * Downloads files in parallel. A damaged one does not stop the others.
 * @throws Failure `file_damaged`: at the end, with the damaged and the missing `files`
 */
async function fetchAll(files: readonly Download[], missing: readonly string[], output: Output): Promise<void> {
  const damaged = [...missing]
  const meter = new Meter(files, output)
  const interrupt = onInterrupt(sameCommand)
  const ending = new AbortController()
  const waiting = files.filter(({ isDone }) => !isDone)
  const fetchNext = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { name } = next
      await fetchFile(next, meter, ending.signal).catch((error: unknown) => {
        if (!(error instanceof Failure) || error.code !== 'file_damaged') throw error
        output.note(`${name}: ${error.message}`)
        damaged.push(name)
      })
    }
  }
  try {
    const all = Promise.all(Array.from({ length: parallelFiles }, fetchNext))
    await Promise.race([all, interrupt.happens])
  } finally {
    ending.abort()
    interrupt.forget()
    meter.end()
  }
  if (damaged.length > 0) throw notWhole(damaged)
}

function notWhole(names: readonly string[]): Failure {
  const text = `${names.length === 1 ? 'This file is' : 'These files are'} missing or damaged on the server, and not saved: ${names.join(', ')}`
  return new Failure('failure', 'file_damaged', text, { files: names })
}

function report(share: SharePage, files: readonly Download[], folder: string, output: Output): void {
  const size = files.reduce((sum, file) => sum + file.size, 0)
  output.note(`${plural(files.length, 'file')} (${sizeText(size)}) in ${folder}`)
  const listed = files.map(({ name, size, isDone, target }) => ({ name, path: target.path(name), size, here: isDone }))
  output.result([], { id: share.id, name: share.name, folder, size, files: listed })
}

const hashOf = (...parts: string[]) => createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32)
