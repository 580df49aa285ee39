import { enableCompileCache } from 'node:module'
import type { Env } from './env.ts'
import { compileCache } from './process/compile-cache.ts'
import { openDatabase } from './process/open-database.ts'
import { run } from './process/run.ts'

const LONGEST_CLOSE = 35_000 // ms after the last request, then it ends whatever is still open

const longestStop = ({ drainSeconds }: Env) => drainSeconds * 1000 + LONGEST_CLOSE

await run('server', longestStop, async (running) => {
  enableCompileCache(compileCache)
  const loading = import('./process/serve.ts') // takes as long as PostgreSQL takes to start
  const [{ serve }, base] = await Promise.all([loading, openDatabase(running)])
  await serve(running, base)
})
