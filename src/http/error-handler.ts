import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify'
import pg from 'pg'
import { isDatabaseAway } from '../db/outage.ts'
import { AppError, type ErrorCode, errors } from '../errors.ts'
import { ObjectMissing, StoreFull, StoreUnavailable } from '../storage/object-store.ts'
import { logAccess } from './security-events.ts'

/** Fastify's own refusals, by their code, in our words. */
const refusals: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_REQ_FILE_TOO_LARGE: 'payload_too_large',
  FST_MP_PREMATURE_CLOSE: 'request_timeout',
}

/** The only place that turns an error into an answer: `{statusCode, error, message, ...details}`. */
export function errorHandler(error: FastifyError | AppError | Error, request: FastifyRequest, reply: FastifyReply) {
  const known = asAppError(error)
  if (!known) {
    request.log.error({ err: error }, 'request failed')
    return answer(reply, new AppError('internal'))
  }
  if (known.code === 'forbidden') logAccess(request.server, 'forbidden', { userId: request.caller?.userId ?? null })
  if (known.statusCode >= 500) request.log.warn({ err: error }, 'request could not be served')
  return answer(reply, known)
}

/** The body of an error's answer. */
export function errorBody(error: AppError) {
  const [statusCode, message] = errors[error.code]
  return { statusCode, error: error.code, message, ...error.details }
}

function answer(reply: FastifyReply, error: AppError) {
  const { retryAfter, allow } = error.details
  if (typeof retryAfter === 'number') reply.header('retry-after', Math.ceil(retryAfter))
  if (Array.isArray(allow)) reply.header('allow', allow.join(', '))
  return reply.code(error.statusCode).header('cache-control', 'no-store').type('application/json; charset=utf-8').send(errorBody(error))
}

function asAppError(error: FastifyError | AppError | Error): AppError | null {
  if (error instanceof AppError) return error
  if (error instanceof StoreFull) return new AppError('insufficient_storage')
  if (error instanceof StoreUnavailable || isDatabaseAway(error)) return new AppError('unavailable', { retryAfter: 5 })
  if (error instanceof ObjectMissing) return new AppError('file_not_found')
  if (isInvalidText(error)) return new AppError('validation_failed', { issues: [{ path: '', message: 'must not hold a NUL character' }] })
  if ('validation' in error && error.validation) return invalid(error.validation)
  if (!('statusCode' in error) || !error.statusCode || error.statusCode >= 500) return null
  const code = refusals[error.code]
  return code ? new AppError(code) : new AppError('validation_failed', { issues: [{ path: '', message: error.message }] })
}

/** PostgreSQL keeps no U+0000 in a text: SQLSTATE character_not_in_repertoire. */
function isInvalidText(error: Error): boolean {
  return error instanceof pg.DatabaseError && error.code === '22021'
}

/** More tell nobody anything, and a list of half a million wrong values would become 50 MB of them. */
const mostIssues = 100

/** `validation_failed` with what a validator has found: the first hundred. */
export function invalid(found: FastifySchemaValidationError[]): AppError {
  const issues = found.slice(0, mostIssues).map(({ instancePath, params, message, keyword }) => {
    const missing = typeof params.missingProperty === 'string' ? `/${params.missingProperty}` : ''
    return { path: `${instancePath}${missing}`.slice(1).replaceAll('/', '.'), message: message ?? 'is not valid', rule: keyword, params }
  })
  return new AppError('validation_failed', { issues })
}
