import { randomUUID } from 'node:crypto'
import { pipeline } from 'node:stream'
import type { Context } from '../../context.ts'
import { abandonedAfter } from '../../shares/limits.ts'
import type { Share } from '../../shares/queries.ts'
import { WrongLength } from '../../storage/object-store.ts'
import { keepObject } from '../complete.ts'
import { checkContent, checkFileType, declaredType } from '../file-types.ts'
import { checkFileName } from '../names.ts'
import { partSizeFor } from '../parts/part-size.ts'
import { insertFile } from '../queries.ts'
import type { Idle } from '../request-body.ts'
import { type Limits, reserveBytes, reserveFile } from '../reserve.ts'
import { needRoomFor } from '../room.ts'
import type { FilePart } from './form-parts.ts'
import { Meter } from './meter.ts'
import { recordWholeFile } from './queries.ts'

type Storing = Pick<Context, 'db' | 'now' | 'storage'>

/** A share that is made while its files come in. */
export interface ReceiveContext {
  share: Share
  max: Limits
  /** Bytes of the request that are still to come; 0 where that is not known. */
  expected: number
}

/** Nobody goes on with a request that died: an hour after its last byte its share counts as abandoned, which others do after a day. */
const headStart = abandonedAfter - 3_600_000 // ms

/**
 * Takes one file, of a size that is known at its end, from a form. Throws `file_name_invalid`, `file_type_not_allowed`, `share_too_large` with `max`,
 * StoreFull, `request_timeout` when it does not come whole; what has been written of it by then goes with its row.
 */
export async function receiveFile(ctx: Storing, to: ReceiveContext, part: FilePart, idle: Idle) {
  const { share, max } = to
  const name = nameOf(part)
  checkFileName(name)
  await checkFileType(ctx.db, share, { name, type: part.type })
  const wanted = (size: number) => ({ size, max, now: new Date(ctx.now().getTime() - headStart) })
  const reserve = (size: number) => ctx.db.transaction().execute((tx) => reserveBytes(tx, share, wanted(size)))
  const id = randomUUID()
  const objectKey = `shares/${share.uid}/${id}`
  const unknown = { size: 0, partSize: partSizeFor(0), partCount: 0 }
  const file = { id, shareId: share.id, name, type: declaredType(part.type), objectKey, createdAt: ctx.now(), ...unknown }
  await ctx.db.transaction().execute(async (tx) => {
    await reserveFile(tx, share, wanted(0))
    await insertFile(tx, file)
  })
  if (to.expected > 0) await needRoomFor(ctx, to.expected)
  idle.watch()
  const { bytes: size, crc32 } = await store(ctx, objectKey, part, { meter: new Meter(reserve), expected: to.expected, idle })
  to.expected = Math.max(0, to.expected - size)
  idle.watch()
  await recordWholeFile(ctx.db, id, { size, crc32 })
  await checkContent(ctx, share, { name, type: part.type, objectKey, size })
  await keepObject(ctx, id, objectKey)
  return { id, name, size }
}

interface Way {
  meter: Meter
  expected: number
  idle: Idle
}

/** Streams a file through the meter into the store. A store that fails destroys the stream: only for a body that was cut, the stream's own failure says why. */
async function store({ storage }: Storing, key: string, { bytes }: FilePart, { meter, expected, idle }: Way): Promise<Meter> {
  let failure: Error | null | undefined
  bytes.once('end', idle.rest) // from now on it is the store that is waited for
  pipeline(bytes, meter, (error) => {
    failure ??= error
  })
  try {
    await storage.write(key, meter, expected)
  } catch (error) {
    throw failure && error instanceof WrongLength ? failure : error
  }
  return meter
}

/** Browsers and curl write `"`, CR and LF so (HTML, multipart form data), and nothing else. */
const escapes: Record<string, string> = { '%22': '"', '%0D': '\r', '%0A': '\n' }

function nameOf({ filename }: FilePart): string {
  return filename.replace(/%22|%0D|%0A/gi, (code) => escapes[code.toUpperCase()]!)
}
