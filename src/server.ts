import { enableCompileCache } from 'node:module'
import { startEmbedded } from './db/embedded.ts'
import type { Env } from './env.ts'
import { compileCache } from './process/compile-cache.ts'
import { type Running, run } from './process/run.ts'
import { loadSecretKey } from './process/secret-key.ts'
import type { Base } from './process/serve.ts'

const LONGEST_CLOSE = 35_000 // ms after the last request, then it ends whatever is still open

const longestStop = ({ drainSeconds }: Env) => drainSeconds * 1000 + LONGEST_CLOSE

await run('server', longestStop, async (running) => {
  enableCompileCache(compileCache)
  const loading = import('./process/serve.ts') // takes as long as PostgreSQL takes to start
  const [{ serve }, base] = await Promise.all([loading, openDatabase(running)])
  await serve(running, base)
})

/** Our own PostgreSQL, which stops last, or that of DATABASE_URL. */
async function openDatabase({ env, log, closing }: Running): Promise<Base> {
  if (env.databaseUrl) return { connectionString: env.databaseUrl, secretKey: env.secretKey! }
  const embedded = await startEmbedded({ dataDir: env.dataDir, log })
  closing.add('PostgreSQL', embedded.stop)
  const { host, port, user, database } = embedded.connection
  const query = new URLSearchParams({ host, port: String(port), user })
  return {
    connectionString: `postgres:///${database}?${query}`,
    secretKey: env.secretKey ?? (await loadSecretKey(env.dataDir)),
  }
}
