import { Socket } from 'node:net'
import { finished, type Readable, type Writable } from 'node:stream'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { refusedField } from '../../http/error-handler.ts'
import { fieldMaxBytes, fieldsMax } from '../limits.ts'
import { FormFeed } from './form-feed.ts'

/** A text part of a form. */
export interface TextPart {
  kind: 'text'
  name: string
  value: string
  /** Whether the value exceeded 64 KiB and was cut. */
  truncated: boolean
}

/** A file of a form. Its bytes must be read before further parts are found. */
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
 * Parses a multipart form, and yields the parts that were found together. The parser gets the next
 * bytes only when all parts so far have been consumed, so memory use does not depend on their
 * number. When the client disconnects, the current files fail.
 *
 * @throws {AppError} validation_failed: the form is malformed, or has more than 200 text parts
 * @throws {AppError} request_timeout: the connection was cut
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
    parser.on('field', (name, value, _nameTruncated, truncated, _encoding, type) => {
      if (/^multipart\/mixed/i.test(type)) queue.fail(nestedFiles(name))
      else queue.add({ kind: 'text', name, value, truncated })
    })
    parser.on('file', (_name, bytes, filename = '', _encoding, type) =>
      queue.add({ kind: 'file', bytes, filename: unescaped(filename), type }),
    )
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

/**
 * Several files in one part (RFC 2388), which curl sends for a name with a comma. RFC 7578 forbids
 * them.
 */
function nestedFiles(path: string): AppError {
  const message =
    'holds several files. Send one part for each file. With curl, put quotes around a name that contains a comma or semicolon: -F \'file=@"a,b.txt"\''
  return refusedField(path, message, 'nested_multipart')
}

/**
 * How browsers and curl escape `"`, CR and LF (HTML, multipart form data). They escape nothing
 * else.
 */
const escapes: Record<string, string> = { '%22': '"', '%0D': '\r', '%0A': '\n' }

function unescaped(filename: string): string {
  return filename.replace(/%22|%0D|%0A/gi, (code) => escapes[code.toUpperCase()] ?? code)
}

function ignore(): void {}

/** The parts that were found and not consumed yet; at most those of one block of the request. */
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

  /** Calls back once, as soon as all parts have been taken. */
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

  /** Fails the files that were taken last, those still waiting, and all later calls. */
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
