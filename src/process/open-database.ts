import { startEmbedded } from '../db/embedded.ts'
import type { Running } from './run.ts'
import { loadSecretKey } from './secret-key.ts'
import type { ServerDatabase } from './serve.ts'

const OTHER_CONNECTIONS = 22 // beside DATABASE_POOL: PostgreSQL's own three, commands and an administrator's

/** Returns the PostgreSQL of DATABASE_URL, or starts the embedded one and closes it last. */
export async function openDatabase({ env, log, closing }: Running): Promise<ServerDatabase> {
  if (env.databaseUrl && env.secretKey) return { connectionString: env.databaseUrl, secretKey: env.secretKey }
  const embedded = await startEmbedded({ dataDir: env.dataDir, log, maxConnections: env.databasePool + OTHER_CONNECTIONS })
  closing.add('PostgreSQL', embedded.stop)
  const { host, port, user, database } = embedded.connection
  const query = new URLSearchParams({ host, port: String(port), user })
  return {
    connectionString: `postgres:///${database}?${query}`,
    secretKey: env.secretKey ?? (await loadSecretKey(env.dataDir)),
  }
}
