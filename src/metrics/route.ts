import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { hashToken, tokenMatches } from '../crypto/tokens.ts'
import { AppError } from '../errors.ts'
import { withTimeout } from '../process/in-time.ts'
import { metricsType } from './metrics.ts'

const QUERY_TIMEOUT = 3_000 // ms

/** Serves `/metrics` beside the API if METRICS_TOKEN is set, to callers with that token. */
export function metricsRoute(app: FastifyInstance, ctx: Context): void {
  const { metricsToken } = ctx.env
  if (metricsToken === null) return
  app.get('/metrics', { logLevel: 'warn' }, async (request, reply) => {
    if (!hasMetricsToken(request.headers.authorization, metricsToken)) throw new AppError('unauthorized')
    return reply
      .type(metricsType)
      .header('cache-control', 'no-store')
      .send(await metricsText(ctx))
  })
}

/** Returns whether an Authorization header carries the token (RFC 6750). */
export function hasMetricsToken(authorization: string | undefined, token: string): boolean {
  const [, bearer = ''] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? []
  return tokenMatches(bearer, hashToken(token))
}

/**
 * Returns the metrics of a server as text. Values that take longer than 3 s to read are left out.
 */
export async function metricsText({ db, queue, metrics }: Pick<Context, 'db' | 'queue' | 'metrics'>): Promise<string> {
  const [openUploads, jobs] = await Promise.all([
    withTimeout(countOpenUploads(db), QUERY_TIMEOUT).catch(() => null),
    withTimeout(queue.overview(), QUERY_TIMEOUT).then(
      ({ counts }) => counts,
      () => null,
    ),
  ])
  metrics.setInstallation({ openUploads, jobs })
  return metrics.text()
}

async function countOpenUploads(db: Context['db']): Promise<number | null> {
  const { rows } = await sql<{ files: number }>`select count(*) as files from file where completed_at is null`.execute(db)
  return rows[0]?.files ?? null
}
