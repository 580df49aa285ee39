import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

/** Milliseconds in which a body has to arrive that the application reads as a whole, such as JSON. */
export const bodyDeadline = 30_000

/** Milliseconds for which the rest of a body is read and discarded after its response. */
const linger = 30_000

/**
 * Limits the time in which a body arrives to `deadline` ms, on every route whose handler does
 * not read it as a stream. The transfer floor applies to the others. A late request is
 * refused with `request_timeout`. A client that goes on sending after its response is disconnected after 30 s.
 */
export function enforceBodyDeadline(app: FastifyInstance, deadline = bodyDeadline): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.raw.complete || !hasBody(request)) return
    const late = request.routeOptions.config?.endpoint?.consumes ? null : setTimeout(refuse, deadline, request, reply).unref()
    request.raw.once('close', () => late && clearTimeout(late))
    reply.raw.once('close', () => late && clearTimeout(late))
    reply.raw.once('finish', () => closeLater(request))
  })
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

function refuse({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete) return
  if (!reply.sent) reply.header('connection', 'close').send(new AppError('request_timeout'))
  reply.raw.once('finish', () => raw.destroy())
}

function closeLater({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return
  raw.resume()
  const late = setTimeout(() => raw.destroy(), linger)
  late.unref()
  raw.once('close', () => clearTimeout(late))
}
