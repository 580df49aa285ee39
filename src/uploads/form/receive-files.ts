import { randomUUID } from 'node:crypto'
import { pipeline, Readable, type Writable } from 'node:stream'
import type { Context } from '../../context.ts'
import { abandonedAfter } from '../../shares/limits.ts'
import type { Share } from '../../shares/queries.ts'
import { WrongLength } from '../../storage/object-store.ts'
import { markStoredWhole } from '../complete.ts'
import { allowedTypesFor, checkContent, declaredType, requireContent, requireType } from '../file-types.ts'
import { checkFileName } from '../names.ts'
import { packFilesMax } from '../packs/limits.ts'
import { fileIdOf, storePack } from '../packs/store-pack.ts'
import { partSizeFor } from '../parts/part-size.ts'
import { insertFiles } from '../queries.ts'
import type { IdleWatch } from '../request-body.ts'
import { type Limits, reserveBytes, reserveFiles } from '../reserve.ts'
import { needRoomFor } from '../room.ts'
import type { FilePart } from './form-parts.ts'
import { Meter } from './meter.ts'
import { readSmall } from './small-files.ts'

type Storing = Pick<Context, 'db' | 'now' | 'queue' | 'storage'>

/** A share that is created while its files arrive. */
export interface ReceiveContext {
  share: Share
  max: Limits
  /** Bytes of the request that are still to come; 0 if unknown. */
  expected: number
}

interface ReceivedFile {
  id: string
  name: string
  /** Bytes. */
  size: number
}

/** A file that was read into memory, to be stored together with others. */
interface SmallFile {
  name: string
  type: string
  bytes: Buffer
  /** Its place in the request. */
  position: number
}

/**
 * An interrupted request is never continued, so its share counts as abandoned an hour after its
 * last byte; others after a day.
 */
const headStart = abandonedAfter - 3_600_000 // ms
/** Files up to this many bytes wait in memory until they, their names and types exceed it together. */
const smallMaxBytes = 262_144

/**
 * Receives the files of a request, whose sizes are known only at their ends. Small ones are stored
 * together, as packs. On failure, the rows and objects of these files are removed with the share.
 */
export class FileReceiver {
  readonly #ctx: Storing
  readonly #to: ReceiveContext
  readonly #received: ReceivedFile[] = []
  #small: SmallFile[] = []
  /** Bytes of the small files that wait, with their names and types. */
  #waiting = 0
  #found = 0

  constructor(ctx: Storing, to: ReceiveContext) {
    this.#ctx = ctx
    this.#to = to
  }

  /**
   * Receives files that were found together.
   *
   * @throws {AppError} file_name_invalid
   * @throws {AppError} file_type_not_allowed
   * @throws {AppError} too_many_files: with the limit
   * @throws {AppError} share_too_large: with the maximum in bytes
   * @throws {AppError} storage_quota_exceeded: with the maximum in bytes
   * @throws {AppError} request_timeout: a file was cut
   * @throws {StoreFull} the store has no room
   */
  async receive(parts: readonly FilePart[], idle: IdleWatch): Promise<void> {
    for (const { filename } of parts) checkFileName(filename)
    const allowed = await allowedTypesFor(this.#ctx.db, this.#to.share)
    for (const { filename: name, type } of parts) requireType({ name, type }, allowed)
    idle.start()
    parts.at(-1)?.bytes.once('end', idle.stop) // from here on, only the store is waited for
    for (const part of parts) await this.#receiveOne(part, allowed)
    idle.start()
  }

  /**
   * Stores what still waits, and returns all files in their order.
   * @throws the errors of `receive`
   */
  async finish(): Promise<ReceivedFile[]> {
    await this.#storeSmall()
    return this.#received
  }

  async #receiveOne(part: FilePart, allowed: readonly string[]): Promise<void> {
    const position = this.#found++
    const { filename: name, type } = part
    const bytes = await readSmall(part.bytes, smallMaxBytes)
    if (!bytes) return this.#storeAlone(part, position)
    requireContent({ name, type }, bytes, allowed)
    const held = bytes.length + 2 * (name.length + type.length)
    if (this.#small.length === packFilesMax || this.#waiting + held > smallMaxBytes) await this.#storeSmall()
    this.#small.push({ name, type, bytes, position })
    this.#waiting += held
  }

  async #storeSmall(): Promise<void> {
    const files = this.#small
    this.#small = []
    this.#waiting = 0
    const [first, second] = files
    if (first && !second)
      await this.#storeAlone({ filename: first.name, type: first.type, bytes: Readable.from([first.bytes]) }, first.position)
    else if (first) await this.#storePack(files)
  }

  async #storePack(files: readonly SmallFile[]): Promise<void> {
    const { share, max } = this.#to
    await this.#needRoom()
    const pack = { id: randomUUID(), hash: '', files: files.map(({ name, type, bytes }) => ({ name, type, size: bytes.length })) }
    const fill = (to: Writable) => void Readable.from(files.map(({ bytes }) => bytes)).pipe(to)
    await storePack(this.#ctx, share, pack, { fill, max, allowed: [], activeAt: reservedAt(this.#ctx) })
    for (const [index, { name, bytes, position }] of files.entries())
      this.#add(position, { id: fileIdOf(pack, index), name, size: bytes.length })
  }

  async #storeAlone(part: Omit<FilePart, 'kind'>, position: number): Promise<void> {
    const { share, max } = this.#to
    const file = newFile(this.#ctx, share, part)
    await this.#ctx.db.transaction().execute(async (tx) => {
      await reserveFiles(tx, share, { names: [file.name], size: 0, max, now: reservedAt(this.#ctx) })
      await insertFiles(tx, [file])
    })
    await this.#needRoom()
    this.#add(position, await storeFile(this.#ctx, this.#to, file, part))
  }

  async #needRoom(): Promise<void> {
    if (this.#to.expected > 0) await needRoomFor(this.#ctx, this.#to.expected)
  }

  #add(position: number, file: ReceivedFile): void {
    this.#received[position] = file
    this.#to.expected = Math.max(0, this.#to.expected - file.size)
  }
}

function newFile({ now }: Storing, share: Share, { filename: name, type }: Omit<FilePart, 'kind'>) {
  const id = randomUUID()
  const objectKey = `shares/${share.uid}/${id}`
  const unknown = { size: 0, partSize: partSizeFor(0), partCount: 0 }
  return { id, shareId: share.id, name, type: declaredType(type), objectKey, createdAt: now(), ...unknown }
}

function reservedAt({ now }: Storing): Date {
  return new Date(now().getTime() - headStart)
}

async function storeFile(
  ctx: Storing,
  { share, max, expected }: ReceiveContext,
  file: ReturnType<typeof newFile>,
  { type, bytes }: Omit<FilePart, 'kind'>,
): Promise<ReceivedFile> {
  const { id, name, objectKey } = file
  const meter = new Meter((size) => ctx.db.transaction().execute((tx) => reserveBytes(tx, share, { size, max, now: reservedAt(ctx) })))
  await write(ctx, objectKey, bytes, meter, expected)
  const { bytes: size, crc32 } = meter
  await checkContent(ctx, share, { name, type, objectKey, size })
  await markStoredWhole(ctx, file, { size, crc32 })
  return { id, name, size }
}

/**
 * Streams a file through the meter into the store. A failing store destroys the stream; only for a
 * cut body does the stream's own error tell why.
 */
async function write({ storage }: Storing, key: string, bytes: Readable, meter: Meter, expected: number): Promise<void> {
  let failure: Error | null | undefined
  pipeline(bytes, meter, (error) => {
    failure ??= error
  })
  try {
    await storage.write(key, meter, expected)
  } catch (error) {
    throw failure && error instanceof WrongLength ? failure : error
  }
}
