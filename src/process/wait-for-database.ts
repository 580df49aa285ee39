import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '../db/connect.ts'
import { type Probe, probeDatabase } from '../db/probe.ts'
import type { Env } from '../env.ts'
import { StartError } from '../errors.ts'

interface Log {
  warn(details: object, message: string): void
}

const OLDEST_VERSION = 14 // the first with multiranges, which count downloads
const TIMEOUT = 30_000 // ms for a PostgreSQL that is still starting
/**
 * Wrong password, no such database, unknown certificate authority, unreadable file: waiting doesn't
 * help.
 */
const PERMANENT = /^(28|3D|ENOENT|EACCES|ERR_TLS|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|CERT_)/

/**
 * Waits until PostgreSQL accepts connections, and returns what is known about it.
 * @throws {StartError} it can't be used, or not within 30 s
 */
export async function waitForDatabase(
  connection: Connection,
  { databasePool }: Pick<Env, 'databasePool'>,
  log: Log,
  signal?: AbortSignal,
): Promise<Probe> {
  const deadline = Date.now() + TIMEOUT
  for (;;) {
    try {
      const probe = await writableDatabase(connection)
      const { isPooled, connectionLimit, version } = probe
      if (version < OLDEST_VERSION) throw new StartError(`PostgreSQL ${version} is too old: Razorbill needs ${OLDEST_VERSION} or newer.`)
      if (!isPooled && connectionLimit < databasePool) {
        log.warn({ connectionLimit, databasePool }, 'PostgreSQL allows fewer connections than DATABASE_POOL; lower it, or raise the limit')
      }
      return probe
    } catch (error) {
      if (error instanceof StartError) throw error
      const { code = '', message } = error as { code?: string; message: string }
      const isPermanent = PERMANENT.test(code) || message.includes('does not support SSL')
      if (isPermanent || Date.now() > deadline)
        throw new StartError(`Cannot use PostgreSQL: ${message || code}. ${adviceOn(code, message)}`)
      log.warn({ reason: message || code }, 'PostgreSQL is not available yet')
      await sleep(1000, undefined, { signal })
    }
  }
}

async function writableDatabase(connection: Connection): Promise<Probe> {
  const probe = await probeDatabase(connection)
  if (probe.isReadOnly) throw new Error('the server is read-only, as a standby is')
  return probe
}

function adviceOn(code: string, message: string): string {
  if (/SELF_SIGNED|UNABLE_TO/.test(code)) return 'Add sslrootcert=FILE to DATABASE_URL, with the certificate authority of the server.'
  if (message.includes('does not support SSL')) return 'Remove sslmode from DATABASE_URL, or set it to disable.'
  return 'Check DATABASE_URL.'
}
