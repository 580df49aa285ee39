import { randomUUID } from 'node:crypto'
import { pipeline } from 'node:stream'
import type { MultipartFile } from '@fastify/multipart'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { abandonedAfter } from '../shares/limits.ts'
import type { Share } from '../shares/queries.ts'
import { keepObject } from './complete.ts'
import { checkFileType, saidType } from './file-types.ts'
import { Meter } from './meter.ts'
import { checkFileName } from './names.ts'
import { partSizeFor } from './part-size.ts'
import { insertFile } from './queries.ts'
import type { Idle } from './request-body.ts'
import { reserveBytes } from './reserve.ts'
import { noteWhole } from './script-queries.ts'

type Storing = Pick<Context, 'db' | 'now' | 'storage'>

/** A share that is made while its files come in. */
export interface Receiving {
  share: Share
  /** Bytes that all its files may have together. */
  max: number
  /** Bytes of the request that are still to come; 0 where that is not known. */
  expected: number
}

/** Nobody goes on with a request that died: an hour after its last byte its share counts as abandoned, which others do after a day. */
const headStart = abandonedAfter - 3_600_000 // ms

/**
 * Takes one file, of a size that is known at its end, from a form. Throws `file_name_invalid`, `file_type_not_allowed`, `share_too_large` with `max`,
 * StoreFull, `request_timeout` when it does not come whole; what has been written of it by then goes with its row.
 */
export async function receiveFile(ctx: Storing, to: Receiving, part: MultipartFile, idle: Idle) {
  const { share, max } = to
  const name = nameOf(part)
  checkFileName(name)
  await checkFileType(ctx.db, share, { name, type: part.mimetype })
  const reserve = (size: number) => reserveBytes(ctx.db, share.uid, { size, max, now: new Date(ctx.now().getTime() - headStart) })
  await reserve(0)
  const id = randomUUID()
  const objectKey = `shares/${share.uid}/${id}`
  const unknown = { size: 0, partSize: partSizeFor(0), partCount: 0 }
  await insertFile(ctx.db, { id, shareId: share.id, name, type: saidType(part.mimetype), objectKey, createdAt: ctx.now(), ...unknown })
  idle.watch()
  const { bytes: size, crc32 } = await store(ctx, objectKey, part, { meter: new Meter(reserve), expected: to.expected, idle })
  to.expected = Math.max(0, to.expected - size)
  idle.watch()
  await noteWhole(ctx.db, id, { size, crc32 })
  await keepObject(ctx, id, objectKey)
  return { id, name, size }
}

interface Way {
  meter: Meter
  expected: number
  idle: Idle
}

/** Streams a file through the meter into the store. */
async function store({ storage }: Storing, key: string, { file }: MultipartFile, { meter, expected, idle }: Way): Promise<Meter> {
  let failure: Error | null | undefined
  file.once('end', idle.rest) // from now on it is the store that is waited for
  pipeline(file, meter, (error) => {
    failure ??= error
  })
  try {
    await storage.write(key, meter, expected)
  } catch (error) {
    throw failure ? parserError(failure) : error
  }
  return meter
}

/** Browsers and curl write `"`, CR and LF so (HTML, multipart form data), and nothing else. */
const escapes: Record<string, string> = { '%22': '"', '%0D': '\r', '%0A': '\n' }

function nameOf({ filename }: MultipartFile): string {
  return (filename ?? '').replace(/%22|%0D|%0A/gi, (code) => escapes[code.toUpperCase()]!)
}

/** A connection that was cut is `request_timeout`; the parser's own words for a form that is none become `validation_failed`; all else passes. */
export function parserError(error: Error): Error {
  if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return new AppError('request_timeout', {}, { cause: error })
  if (!/^(Multipart: |Unexpected end of multipart|Part terminated early|Malformed|Unsupported content type)/.test(error.message))
    return error
  return new AppError('validation_failed', { issues: [{ path: '', message: `is no complete form: ${error.message}` }] }, { cause: error })
}
