import { Socket } from 'node:net'
import { finished, type Readable, type Writable } from 'node:stream'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { fieldMaxBytes, fieldsMax } from '../limits.ts'
import { FormFeed } from './form-feed.ts'

/** A text part of a form. */
export interface TextPart {
  kind: 'text'
  name: string
  value: string
  /** The value was longer than 64 KiB and is cut. */
  truncated: boolean
}

/** A file of a form; its bytes must be read before the next part comes. */
export interface FilePart {
  kind: 'file'
  filename: string
  type: string
  bytes: Readable
}

const limits = {
  fields: fieldsMax,
  fieldSize: fieldMaxBytes,
  fieldNameSize: 100,
  headerPairs: 20,
  headerSize: 16_384,
}

/**
 * Parses a multipart form part by part. The parser gets the next bytes only when all parts found so far have been taken, so memory stays flat however many
 * parts there are. When the client disconnects, the current file fails and no further part comes.
 *
 * @throws `validation_failed` for a malformed form or more than 200 text parts, `request_timeout` when the connection is cut.
 */
export async function* formParts({ raw, headers }: FastifyRequest): AsyncGenerator<TextPart | FilePart> {
  const queue = new PartQueue()
  const parser = openParser(headers as BusboyHeaders, queue)
  const feed = new FormFeed(parser, (resume) => queue.whenEmpty(resume))
  feed.on('error', ignore)
  const cut = () => queue.fail(new AppError('request_timeout'))
  const unwatch = finished(raw, { writable: false }, (error) => error && cut())
  if (raw.socket instanceof Socket) raw.socket.once('close', cut)
  raw.pipe(feed)
  try {
    for (let part = await queue.take(); part; part = await queue.take()) yield part
  } finally {
    unwatch()
    raw.socket.off?.('close', cut)
    raw.unpipe(feed)
    feed.destroy()
    queue.fail(new Error('The form is no longer read'))
  }
}

function openParser(headers: BusboyHeaders, queue: PartQueue): Writable {
  try {
    const parser = new Busboy({ headers, preservePath: true, limits })
    parser.on('field', (name, value, _nameTruncated, truncated) => queue.add({ kind: 'text', name, value, truncated }))
    parser.on('file', (_name, bytes, filename = '', _encoding, type) => queue.add({ kind: 'file', bytes, filename, type }))
    parser.on('fieldsLimit', () =>
      queue.fail(malformed(`more than ${fieldsMax} text parts`, { rule: 'maxItems', params: { limit: fieldsMax } })),
    )
    parser.on('error', (error) => queue.fail(malformed((error as Error).message, {}, error)))
    parser.on('finish', () => queue.end())
    return parser
  } catch (error) {
    throw malformed((error as Error).message, {}, error)
  }
}

function malformed(reason: string, more: object, cause?: unknown): AppError {
  return new AppError('validation_failed', { issues: [{ path: '', message: `is not a complete form: ${reason}`, ...more }] }, { cause })
}

function ignore(): void {}

/** The parts that the parser has found and the consumer has not taken yet: those of one chunk of the request at most. */
class PartQueue {
  readonly #parts: (TextPart | FilePart)[] = []
  #current: FilePart | undefined
  #failure: Error | undefined
  #ended = false
  #wake: () => void = ignore
  #resume: () => void = ignore

  add(part: TextPart | FilePart): void {
    if (part.kind === 'file') part.bytes.on('error', ignore) // it may fail before the consumer listens
    if (this.#failure && part.kind === 'file') part.bytes.destroy(this.#failure)
    this.#parts.push(part)
    this.#wake()
  }

  /** Calls back once, as soon as every part has been taken. */
  whenEmpty(resume: () => void): void {
    if (this.#parts.length === 0) resume()
    else this.#resume = resume
  }

  /** The next part; undefined after the last. */
  async take(): Promise<TextPart | FilePart | undefined> {
    while (this.#parts.length === 0 && !this.#failure && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    if (this.#failure) throw this.#failure
    const part = this.#parts.shift()
    this.#current = part?.kind === 'file' ? part : undefined
    if (this.#parts.length === 0) this.#resumeFeed()
    return part
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  /** Ends the current file and all that wait with this error. */
  fail(error: Error): void {
    if (this.#failure) return
    this.#failure = error
    this.#current?.bytes.destroy(error)
    for (const part of this.#parts) if (part.kind === 'file') part.bytes.destroy(error)
    this.#wake()
  }

  #resumeFeed(): void {
    const resume = this.#resume
    this.#resume = ignore
    resume()
  }
}
