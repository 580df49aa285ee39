import { enableCompileCache } from 'node:module'
import type { Env } from './env.ts'
import { openDatabase } from './process/open-database.ts'
import { compileCache, run } from './process/run.ts'

const CLOSE_TIMEOUT = 35_000 // ms for closing all resources after the last request

const stopTimeout = ({ drainSeconds }: Env) => drainSeconds * 1000 + CLOSE_TIMEOUT

await run('server', stopTimeout, async (running) => {
  enableCompileCache(compileCache)
  const loading = import('./process/serve.ts') // about as slow as the start of PostgreSQL
  const [{ serve }, database] = await Promise.all([loading, openDatabase(running)])
  await serve(running, database)
})
