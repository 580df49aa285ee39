import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { invalid } from '../http/error-handler.ts'
import { NewShare } from '../shares/contract.ts'
import { recipientsMax } from '../shares/limits.ts'

interface TextPart {
  fieldname: string
  value: unknown
  valueTruncated: boolean
}

/** Of one text part of a form, in bytes. */
export const fieldMaxBytes = 65_536

/** The text parts of a form, from which a share is made. One that stands twice counts by its last value, but recipients add up. */
export class FormFields {
  readonly #values = new Map<string, string>()

  /** Throws `validation_failed` for what is longer than 64 KiB. */
  add({ fieldname, value, valueTruncated }: TextPart): void {
    if (valueTruncated) throw refused(fieldname, 'maxLength', 'is too long')
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const before = fieldname === 'recipients' ? this.#values.get(fieldname) : undefined
    this.#values.set(fieldname, before ? `${before},${text}` : text)
  }

  /** The share that they describe, held to the same rules as one that comes as JSON. Throws `validation_failed`. */
  newShare(request: FastifyRequest): NewShare {
    const [password, maxViews] = [this.#text('password'), this.#text('maxViews')]
    const [name, email, message] = [this.#text('senderName'), this.#text('senderEmail'), this.#text('senderMessage')]
    const input = {
      ...present({ id: this.#text('id'), name: this.#text('name'), description: this.#text('description') }),
      ...present({ expiration: this.#text('expiration'), reverseShareToken: this.#text('reverseShareToken') }),
      recipients:
        this.#text('recipients')
          ?.split(/[,;\s]+/, recipientsMax + 2) // one too many at least; what fields hold beyond that is not worth its memory
          .filter(Boolean) ?? [],
      security: present({ password, maxViews: maxViews && /^\d+$/.test(maxViews) ? Number(maxViews) : maxViews }),
      sender: present({ name, email, message }),
    }
    const validate = request.compileValidationSchema(NewShare, 'body')
    if (!validate(input)) throw named(invalid(validate.errors ?? []))
    return input as NewShare
  }

  /** An empty part says nothing: forms send those too. */
  #text(field: string): string | undefined {
    return this.#values.get(field) || undefined
  }
}

function present<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>
}

/** Issues by the names of the form's parts. */
function named(error: AppError): AppError {
  const issues = (error.details.issues as { path: string }[]).map(({ path, ...issue }) => ({ path: partOf(path), ...issue }))
  return new AppError('validation_failed', { issues })
}

function partOf(path: string): string {
  const [first = '', second = ''] = path.split('.')
  if (first === 'security') return second
  return first === 'sender' ? `sender${second.charAt(0).toUpperCase()}${second.slice(1)}` : first
}

function refused(path: string, rule: string, message: string): AppError {
  return new AppError('validation_failed', { issues: [{ path, message, rule, params: { limit: fieldMaxBytes } }] })
}
