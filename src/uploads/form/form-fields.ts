import type { FastifyRequest, FastifySchemaValidationError } from 'fastify'
import { AppError } from '../../errors.ts'
import { invalid, refusedField } from '../../http/error-handler.ts'
import { NewShare } from '../../shares/contract.ts'
import { recipientsMax } from '../../shares/limits.ts'
import { fieldMaxBytes, textMaxBytes } from '../limits.ts'
import { UploadForm } from './contract.ts'
import type { TextPart } from './form-parts.ts'

const partNames = new Set(Object.keys(UploadForm.properties))

/**
 * The text parts of a form, which describe a share. Of repeated parts the last one counts, but
 * recipients are added.
 */
export class FormFields {
  readonly #values = new Map<string, string>()

  /** Bytes of all text parts so far. */
  bytes = 0

  /**
   * Adds a text part.
   *
   * @throws {AppError} validation_failed: it exceeds 64 KiB, or all of them exceed 1 MiB, or no
   *   part has its name, because a misspelled `password` would leave the share open
   */
  add({ name, value, truncated }: Omit<TextPart, 'kind'>): void {
    if (!partNames.has(name)) throw refusedField(name, 'is not a part of this form', 'additionalProperties')
    if (truncated) throw refusedField(name, 'is too long', 'maxLength', fieldMaxBytes)
    this.bytes += Buffer.byteLength(value)
    if (this.bytes > textMaxBytes) throw refusedField(name, 'makes the text parts too long together', 'maxLength', textMaxBytes)
    const previous = name === 'recipients' ? this.#values.get(name) : undefined
    this.#values.set(name, previous ? `${previous},${value}` : value)
  }

  /**
   * Returns the share that the parts describe, validated like one sent as JSON.
   *
   * @throws {AppError} validation_failed
   */
  newShare(request: FastifyRequest): NewShare {
    const [password, maxViews] = [this.#text('password'), this.#text('maxViews')]
    const [name, email, message] = [this.#text('senderName'), this.#text('senderEmail'), this.#text('senderMessage')]
    const input = {
      ...present({ id: this.#text('id'), name: this.#text('name'), description: this.#text('description') }),
      ...present({ expiration: this.#text('expiration'), reverseShareToken: this.#text('reverseShareToken') }),
      recipients:
        this.#text('recipients')
          ?.split(/[,;\s]+/, recipientsMax + 2) // at least one too many if the limit is exceeded; the rest would waste memory
          .filter(Boolean) ?? [],
      security: present({ password, maxViews: maxViews && /^\d+$/.test(maxViews) ? Number(maxViews) : maxViews }),
      sender: present({ name, email, message }),
    }
    const outcome: unknown = request.compileValidationSchema(NewShare, 'body')(input) // the validator of `http/validators.ts` returns its errors
    if (outcome !== true) throw withPartNames(invalid((outcome as { error: FastifySchemaValidationError[] }).error))
    return input as NewShare
  }

  /** Forms also send empty parts, which count as missing. */
  #text(field: string): string | undefined {
    return this.#values.get(field) || undefined
  }
}

function present<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>
}

/** Renames the paths of issues to the names of the form's parts. */
function withPartNames(error: AppError): AppError {
  const issues = (error.details.issues as { path: string }[]).map(({ path, ...issue }) => ({ path: partOf(path), ...issue }))
  return new AppError('validation_failed', { issues })
}

function partOf(path: string): string {
  const [first = '', second = ''] = path.split('.')
  if (first === 'security') return second
  return first === 'sender' ? `sender${second.charAt(0).toUpperCase()}${second.slice(1)}` : first
}
