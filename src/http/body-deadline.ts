import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

/** Milliseconds within which a body that is read as a whole, such as JSON, must arrive. */
export const bodyDeadline = 30_000

/** Milliseconds during which the rest of a body is read and discarded after its response. */
const linger = 30_000

/**
 * Refuses a body that takes longer than `deadline` ms with `request_timeout`. Routes that read
 * their body as a stream are exempt, because the transfer floor applies to them. A client that
 * continues sending after its response is disconnected after 30 s.
 */
export function enforceBodyDeadline(app: FastifyInstance, deadline = bodyDeadline): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.raw.complete && hasBody(request)) watch(request, reply)
    done()
  })

  function watch(request: FastifyRequest, reply: FastifyReply): void {
    const timer = request.routeOptions.config?.endpoint?.consumes ? null : setTimeout(refuse, deadline, request, reply).unref()
    const stopTimer = () => timer && clearTimeout(timer)
    request.raw.once('close', stopTimer)
    reply.raw.once('close', stopTimer)
    reply.raw.once('finish', () => closeLater(request))
  }
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
  const timer = setTimeout(() => raw.destroy(), linger).unref()
  raw.once('close', () => clearTimeout(timer))
}
