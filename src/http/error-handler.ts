import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify'
import pg from 'pg'
import { isDatabaseUnavailable } from '../db/outage.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { ObjectMissing, StoreFull, StoreUnavailable } from '../storage/object-store.ts'
import { logAccess } from './security-events.ts'

/** Error codes for Fastify's own errors. */
const codesOfFastify: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_REQ_FILE_TOO_LARGE: 'payload_too_large',
  FST_MP_PREMATURE_CLOSE: 'request_timeout',
}

/** Turns every error into a reply: `{statusCode, error, message, ...details}`. */
export function errorHandler(error: FastifyError | AppError | Error, request: FastifyRequest, reply: FastifyReply) {
  const appError = asAppError(error)
  if (!appError) {
    request.log.error({ err: error }, 'request failed')
    return sendError(reply, new AppError('internal'))
  }
  if (appError.code === 'forbidden') logAccess(request.server, 'forbidden', { userId: request.caller?.userId ?? null })
  if (appError.statusCode >= 500) request.log.warn({ err: error }, 'request could not be served')
  return sendError(reply, appError)
}

/** Returns the JSON body of an error reply. */
export function errorBody({ code, statusCode, message, details }: AppError) {
  return { statusCode, error: code, message, ...details }
}

function sendError(reply: FastifyReply, error: AppError) {
  const { retryAfter, allow } = error.details
  if (typeof retryAfter === 'number') reply.header('retry-after', Math.ceil(retryAfter))
  if (Array.isArray(allow)) reply.header('allow', allow.join(', '))
  return reply.code(error.statusCode).header('cache-control', 'no-store').type('application/json; charset=utf-8').send(errorBody(error))
}

function asAppError(error: FastifyError | AppError | Error): AppError | null {
  if (error instanceof AppError) return error
  if (error instanceof StoreFull) return new AppError('insufficient_storage')
  if (error instanceof StoreUnavailable || isDatabaseUnavailable(error)) return new AppError('unavailable', { retryAfter: 5 })
  if (error instanceof ObjectMissing) return new AppError('file_not_found')
  if (isInvalidText(error)) return new AppError('validation_failed', { issues: [{ path: '', message: 'must not hold a NUL character' }] })
  if ('validation' in error && error.validation) return invalid(error.validation)
  if (!('statusCode' in error) || !error.statusCode || error.statusCode >= 500) return null
  const code = codesOfFastify[error.code]
  return code ? new AppError(code) : new AppError('validation_failed', { issues: [{ path: '', message: error.message }] })
}

/** PostgreSQL rejects U+0000 in text with SQLSTATE character_not_in_repertoire. */
function isInvalidText(error: Error): boolean {
  return error instanceof pg.DatabaseError && error.code === '22021'
}

/** Without a limit, half a million wrong values would give a reply of 50 MB. */
const maxIssues = 100

/** Returns `validation_failed` with the first hundred issues that a validator found. */
export function invalid(failures: FastifySchemaValidationError[]): AppError {
  const issues = failures.slice(0, maxIssues).map(({ instancePath, params, message, keyword }) => {
    const field = params.missingProperty ?? params.additionalProperty
    const fieldPath = typeof field === 'string' ? `/${field}` : ''
    return { path: `${instancePath}${fieldPath}`.slice(1).replaceAll('/', '.'), message: message ?? 'is not valid', rule: keyword, params }
  })
  return new AppError('validation_failed', { issues })
}

/**
 * Returns `validation_failed` with one issue: what is wrong with the field at `path`, and the rule
 * that it breaks.
 */
export function refusedField(path: string, message: string, rule?: string, limit?: number): AppError {
  const params = limit === undefined ? {} : { limit }
  return new AppError('validation_failed', { issues: [{ path, message, ...(rule && { rule, params }) }] })
}
