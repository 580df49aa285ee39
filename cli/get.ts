import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { zipNames } from '../src/downloads/zip/names.ts'
import type { SharePage } from '../src/shares/contract.ts'
import { accountFor, accountInUse } from './account.ts'
import { Failure, usage } from './failure.ts'
import { type Download, fetchFile } from './fetch-file.ts'
import { stateFolder } from './folders.ts'
import { hold } from './hold.ts'
import { onInterrupt } from './interrupt.ts'
import { busy, readLink } from './link.ts'
import { Meter } from './meter.ts'
import type { GetOptions } from './options.ts'
import type { Output } from './output.ts'
import { Server } from './server.ts'
import { listedFiles } from './shared-files.ts'
import { StateFile } from './state-file.ts'
import { Target } from './target.ts'
import { plural, sizeText } from './texts.ts'
import { unlock } from './unlock.ts'

const lanes = 4
const sameCommand = 'The same command again goes on where it was.'

/** `razorbill get`: all files of a share, streamed into a folder; what was stopped goes on. */
export async function get(given: readonly string[], options: GetOptions, output: Output): Promise<void> {
  const [link] = given
  if (!link || given.length > 1) throw usage('Which share? razorbill get LINK')
  const { url, id } = readLink(link, () => accountInUse().url)
  const server = new Server(accountFor(url))
  const folder = resolve(options.output ?? '.')
  const statePath = join(stateFolder(), 'downloads', `${hashOf(url, id, folder)}.download`)
  const release = hold(statePath)
  if (!release) throw busy(link)
  try {
    const state = new StateFile(statePath)
    const share = await unlock(server, id, options.password, state)
    const target = await Target.open(folder)
    const files = await plan(share, { server, id, target, state, force: options.force === true })
    await fetchAll(files, output)
    state.remove()
    tell(share, files, folder, output)
  } finally {
    release()
  }
}

/** Which file goes where. Throws a Failure before anything is written when files are there already that this download did not make. */
async function plan(share: SharePage, common: Omit<Download, 'file' | 'name' | 'size' | 'here'> & { force: boolean }) {
  const listed = listedFiles(share.files)
  const names = zipNames(listed.map(({ name }) => name))
  const files: Download[] = []
  const taken: string[] = []
  for (const [index, file] of listed.entries()) {
    const name = names[index]!
    const found = await common.target.look(name)
    const here = found !== null && common.state.getItem(`done:${file.id}`) === `${found.size}:${found.mtimeMs}`
    if (found && !here && !common.force) taken.push(name)
    files.push({ ...common, file: file.id, name, size: file.size, here })
  }
  if (taken.length === 0) return files
  const [one] = taken
  const text =
    taken.length === 1
      ? `${one} exists already. With --force it is replaced.`
      : `${one} and ${taken.length - 1} more exist already. With --force they are replaced.`
  throw new Failure('exists', 'file_exists', text, { files: taken })
}

async function fetchAll(files: readonly Download[], output: Output): Promise<void> {
  const meter = new Meter(files, output)
  const interrupt = onInterrupt(sameCommand)
  const ending = new AbortController()
  const waiting = files.filter(({ here }) => !here)
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await fetchFile(next, meter, ending.signal)
  }
  try {
    const all = Promise.all(Array.from({ length: lanes }, lane))
    await Promise.race([all, interrupt.happens])
  } finally {
    ending.abort()
    interrupt.forget()
    meter.end()
  }
}

function tell(share: SharePage, files: readonly Download[], folder: string, output: Output): void {
  const size = files.reduce((sum, file) => sum + file.size, 0)
  output.note(`${plural(files.length, 'file')} (${sizeText(size)}) in ${folder}`)
  const listed = files.map(({ name, size, here, target }) => ({ name, path: target.path(name), size, here }))
  output.result([], { id: share.id, name: share.name, folder, size, files: listed })
}

const hashOf = (...said: string[]) => createHash('sha256').update(said.join('\0')).digest('hex').slice(0, 32)
