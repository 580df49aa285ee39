import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { hashToken, tokenMatches } from '../crypto/tokens.ts'
import { keepingResult } from '../db/kept-result.ts'
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
  const [openUploads, openLinks, jobs] = await Promise.all([
    withTimeout(countOpenUploads(db), QUERY_TIMEOUT).catch(() => null),
    withTimeout(recentOpenLinks(db), QUERY_TIMEOUT).catch(() => null),
    withTimeout(queue.overview(), QUERY_TIMEOUT).then(
      ({ counts }) => counts,
      () => null,
    ),
  ])
  metrics.setInstallation({ openUploads, openLinks, jobs })
  return metrics.text()
}

async function countOpenUploads(db: Context['db']): Promise<number | null> {
  const { rows } = await sql<{ files: number }>`select count(*) as files from file where completed_at is null`.execute(db)
  return rows[0]?.files ?? null
}

/** Returns the count of open links, which reads all shares, at most once a minute. */
const recentOpenLinks = keepingResult(countOpenLinks, { keptFor: 60_000 })

async function countOpenLinks(db: Context['db']): Promise<number | null> {
  const { rows } = await sql<{ links: number }>`
    with open as (
      select id, link_enabled and views < coalesce(max_views, 2147483648) and downloads < coalesce(max_downloads, 2147483648) as first_open
      from share
      where completed_at is not null and removed_reason is null and (expires_at is null or expires_at > now())
    )
    select (select count(*) from open where first_open) + (
      select count(*) from share_link link join open on open.id = link.share_id
      where link.enabled and (link.expires_at is null or link.expires_at > now())
        and link.views < coalesce(link.max_views, 2147483648) and link.downloads < coalesce(link.max_downloads, 2147483648)) as links`.execute(
    db,
  )
  return rows[0]?.links ?? null
}
