import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { withTimeout } from '../process/in-time.ts'

const LONGEST_ASK = 3_000 // ms

/** The metrics of a server. What cannot be asked for in 3 s is left out. */
export async function metricsText({ db, queue, metrics }: Pick<Context, 'db' | 'queue' | 'metrics'>): Promise<string> {
  const [openUploads, jobs] = await Promise.all([
    withTimeout(countOpenUploads(db), LONGEST_ASK).catch(() => null),
    withTimeout(queue.overview(), LONGEST_ASK).then(
      ({ counts }) => counts,
      () => null,
    ),
  ])
  metrics.installation({ openUploads, jobs })
  return metrics.text()
}

async function countOpenUploads(db: Context['db']): Promise<number> {
  const { rows } = await sql<{ files: number }>`select count(*) as files from file where completed_at is null`.execute(db)
  return rows[0]!.files
}
