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

type FormPart = TextPart | FilePart

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
export async function* formParts(request: FastifyRequest): AsyncGenerator<FormPart[]> {
  const { raw, headers } = request
  const queue = new PartQueue()
  const parser = openParser(headers as BusboyHeaders, queue)
  const feed = new FormFeed(request, parser, (resume) => queue.whenEmpty(resume))
  const cut = () => queue.fail(new AppError('request_timeout'))
  const unwatch = finished(raw, { writable: false }, (error) => error && cut())
  if (raw.socket instanceof Socket) raw.socket.once('close', cut)
  try {
    for (let parts = await queue.take(); parts; parts = await queue.take()) yield parts
  } finally {
    unwatch()
    raw.socket.off?.('close', cut)
    feed.stop()
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
  #parts: FormPart[] = []
  #taken: FormPart[] = []
  #failure: Error | undefined
  #ended = false
  #wake: () => void = ignore
  #resume: () => void = ignore

  add(part: FormPart): void {
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

  /** Returns all parts found since the last call, at least one; undefined after the last. */
  async take(): Promise<FormPart[] | undefined> {
    while (this.#parts.length === 0 && !this.#failure && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    if (this.#failure) throw this.#failure
    if (this.#parts.length === 0) return undefined
    this.#taken = this.#parts
    this.#parts = []
    this.#resumeFeed()
    return this.#taken
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  /** Ends the files that were taken last and all that wait with this error. */
  fail(error: Error): void {
    if (this.#failure) return
    this.#failure = error
    for (const part of [...this.#taken, ...this.#parts]) if (part.kind === 'file') part.bytes.destroy(error)
    this.#wake()
  }

  #resumeFeed(): void {
    const resume = this.#resume
    this.#resume = ignore
    resume()
  }
}
