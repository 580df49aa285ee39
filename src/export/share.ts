import { Transform, type TransformCallback } from 'node:stream'
import { crc32 } from '@node-rs/crc32'
import type { Context } from '../context.ts'
import { zipNames } from '../downloads/zip/names.ts'
import { ObjectMissing, WrongLength } from '../storage/object-store.ts'
import * as queries from './queries.ts'
import type { Target } from './target.ts'

export type ExportContext = Pick<Context, 'db' | 'storage' | 'now'>

/** What happened to the files, for the operator. */
export interface Tally {
  files: number
  bytes: number
  /** Files that an earlier run has exported. */
  existing: number
  problems: string[]
}

class Damaged extends Error {}

/** Exports a share: its files under `files/`, then `share.json`, which describes them. */
export async function exportShare(ctx: ExportContext, target: Target, folder: string, share: queries.ExportedShare, tally: Tally) {
  const files = await queries.filesOf(ctx.db, share.link)
  const names = zipNames(files.map(({ name }) => name))
  const described = []
  for (const [index, file] of files.entries()) {
    const path = `files/${names[index]}`
    const problem = await exportFile(ctx, target, `${folder}/${path}`, file, tally)
    if (problem) tally.problems.push(`${share.link}: ${JSON.stringify(file.name)} ${problem}`)
    const { objectKey, ...row } = file
    described.push({ ...row, crc32: hex(file.crc32), path, ...(problem && { problem }) })
  }
  const [links, recipients] = await Promise.all([queries.linksOf(ctx.db, share.link), queries.recipientsOf(ctx.db, share.link)])
  const document = share.encrypted ? await queries.documentOf(ctx.db, share.link) : undefined
  const { uid, ...row } = share
  await target.writeText(
    `${folder}/share.json`,
    json({ ...row, ...(document && { document: document.toString('base64') }), links, recipients, files: described }),
    share.createdAt,
  )
}

/** Returns why the file was not exported, or null. */
async function exportFile({ storage }: ExportContext, target: Target, path: string, file: queries.ExportedFile, tally: Tally) {
  const { objectKey, size, createdAt } = file
  if (await target.has(path, size)) {
    tally.existing++
    return null
  }
  const checksum = new Checksum()
  const check = () => {
    if (checksum.bytes !== size || (file.crc32 !== null && checksum.crc32 !== file.crc32)) throw new Damaged()
  }
  try {
    await target.writeFile(path, size, createdAt, async () => (await storage.read(objectKey)).compose(checksum), check)
    tally.files++
    tally.bytes += size
    return null
  } catch (error) {
    if (error instanceof ObjectMissing) return 'is missing in the store'
    if (error instanceof Damaged || error instanceof WrongLength) return 'is damaged in the store: its bytes do not match their checksum'
    throw error
  }
}

/** Passes bytes through and computes their CRC-32. */
class Checksum extends Transform {
  bytes = 0
  crc32 = 0

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length
    this.crc32 = crc32(chunk, this.crc32)
    done(null, chunk)
  }
}

const hex = (value: number | null) => value?.toString(16).padStart(8, '0') ?? null

/** Formats a value as a JSON file. */
export const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
