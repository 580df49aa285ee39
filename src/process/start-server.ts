import type { Env } from '../env.ts'
import { EarlyServer } from './early-server.ts'
import { openDatabase } from './open-database.ts'
import { run } from './run.ts'

const CLOSE_TIMEOUT = 35_000 // ms for closing all resources after the last request

const stopTimeout = ({ drainSeconds }: Env) => drainSeconds * 1000 + CLOSE_TIMEOUT

await run('server', stopTimeout, async (running) => {
  const server = new EarlyServer(running.env)
  running.closing.add('listener', () => server.stop())
  const opening = openDatabase(running) // locks the data folder before the port is tried
  const listening = server.start()
  const loading = import('./serve.ts') // about as slow as the start of PostgreSQL
  await Promise.allSettled([opening, listening, loading]) // so that what was opened can be closed
  const [database, , { serve }] = await Promise.all([opening, listening, loading])
  await serve(running, database, server)
})
