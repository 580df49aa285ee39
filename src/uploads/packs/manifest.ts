import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyRequest, FastifySchemaValidationError } from 'fastify'
import { AppError } from '../../errors.ts'
import { invalid, refusedField } from '../../http/error-handler.ts'
import { PackManifest } from './contract.ts'
import { manifestMaxBytes, packMaxBytes } from './limits.ts'

export interface ReadManifest {
  manifest: PackManifest
  /** SHA-256 of its line. */
  hash: string
  /** Bytes of all files together, which the rest of the body has. */
  size: number
}

const lineFeed = 10

/**
 * Reads the manifest of a pack, and leaves the bytes of its files in the request's body. Checks that
 * the request announces them.
 *
 * @throws {AppError} length_required
 * @throws {AppError} payload_too_large: it announces more than any pack has
 * @throws {AppError} validation_failed: the manifest is malformed or too long, two files have the
 *   same name, the files are too large together, or the request announces another length
 * @throws {AppError} request_timeout: the body was cut
 */
export async function readManifest(request: FastifyRequest): Promise<ReadManifest> {
  const { body, headers } = request
  if (headers['content-length'] === undefined) throw new AppError('length_required')
  const announced = Number(headers['content-length'])
  if (announced > manifestMaxBytes + packMaxBytes) throw new AppError('payload_too_large')
  if (!(body instanceof Readable)) throw refusedField('', 'is empty')
  body.on('error', () => {}) // the body may fail before it is read
  const line = await firstLine(body)
  const manifest = validated(request, line)
  checkNames(manifest)
  const size = manifest.files.reduce((sum, file) => sum + file.size, 0)
  if (size > packMaxBytes) throw refusedField('files', `have more than ${packMaxBytes} bytes together`, 'maximum', packMaxBytes)
  const expected = line.length + 1 + size
  if (announced !== expected) throw refusedField('content-length', `must be ${expected}, the bytes of the manifest and the files`, 'const')
  return { manifest, hash: createHash('sha256').update(line).digest('base64url'), size }
}

/** Reads the first line of a stream without its line feed; the rest stays in the stream. */
async function firstLine(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let length = 0; length <= manifestMaxBytes; ) {
    const chunk: Buffer | null = body.read()
    if (!chunk) {
      await untilReadable(body)
      continue
    }
    const end = chunk.indexOf(lineFeed)
    chunks.push(end < 0 ? chunk : chunk.subarray(0, end))
    length += chunk.length
    if (end < 0) continue
    if (end + 1 < chunk.length) body.unshift(chunk.subarray(end + 1))
    return Buffer.concat(chunks)
  }
  throw refusedField('', `begins with a line of more than ${manifestMaxBytes} bytes`, 'maxLength', manifestMaxBytes)
}

/** Waits until a stream has more bytes. Throws if it has ended or failed. */
async function untilReadable(body: Readable): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const end = () => reject(refusedField('', 'has no line feed after the manifest'))
  const cut = () => reject(new AppError('request_timeout'))
  if (body.readableEnded) end()
  if (body.destroyed) cut()
  body.on('readable', resolve).on('end', end).on('close', cut)
  await promise.finally(() => body.off('readable', resolve).off('end', end).off('close', cut))
}

function validated(request: FastifyRequest, line: Buffer): PackManifest {
  const input = parsed(line)
  const outcome: unknown = request.compileValidationSchema(PackManifest, 'body')(input) // the validator of `http/validators.ts` returns its errors
  if (outcome !== true) throw invalid((outcome as { error: FastifySchemaValidationError[] }).error)
  return input as PackManifest
}

function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString())
  } catch {
    throw refusedField('', 'must begin with a line of JSON')
  }
}

function checkNames({ files }: PackManifest): void {
  const names = new Set<string>()
  for (const [index, { name }] of files.entries()) {
    if (names.has(name)) throw refusedField(`files.${index}.name`, 'is also the name of another file in the pack', 'uniqueItems')
    names.add(name)
  }
}
