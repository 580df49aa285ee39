import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fill, newShare } from '../support/api.ts'
import { type Figure, ratio } from '../support/figures.ts'
import { type Server, startServer } from '../support/server.ts'
import { rateOf, runs, socketOf } from './share-page.ts'

const SECONDS = 5
const CONNECTIONS = 32

/**
 * Measures two API processes on one PostgreSQL against one process with the same number of
 * connections. One request needs only the process; the page of a share costs PostgreSQL about as
 * much as the process. The load generators and PostgreSQL run on the same cores.
 */
export async function replicas(): Promise<Figure[]> {
  const target = 1.6
  const missing = {
    what: 'two API processes to one',
    value: 'not measured: wrk is not installed',
    target: `at least ${target}`,
    met: false,
  }
  if (!runs('wrk')) return [missing]
  const first = await startServer(undefined, { WORKER: 'off', DATABASE_POOL: '40' }) // PostgreSQL allows 22 connections more
  const connection = new URLSearchParams({ host: socketOf(first.dataDir), user: 'razorbill' })
  const second = await startServer(first.dataDir, {
    WORKER: 'off',
    DATABASE_URL: `postgres:///razorbill?${connection}`,
    SECRET_KEY: readFileSync(join(first.dataDir, 'secret-key'), 'utf8').trim(),
  })
  const share = await newShare(first)
  await fill(first, share, [1000, 2000, 3000])
  const unlocked = await fetch(`${first.url}/api/shares/${share}/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  const cookie = unlocked.headers.getSetCookie()[0]!.split(';')[0]!
  const rate = async (servers: Server[], path: string) => {
    const each = `${CONNECTIONS / servers.length}`
    const arguments_ = ({ url }: Server) => ['-t', '1', '-c', each, '-d', `${SECONDS}`, '-H', `Cookie: ${cookie}`, `${url}/api/${path}`]
    const rates = await Promise.all(servers.map((server) => rateOf('wrk', arguments_(server), /Requests\/sec:\s+([\d.]+)/)))
    return rates.reduce((sum, each) => sum + each)
  }
  const compare = (what: string, path: string) =>
    ratio(
      `two API processes to one, ${what}`,
      target,
      'a second',
      () => rate([first, second], path),
      () => rate([first], path),
    )
  return [await compare('an answer without PostgreSQL', 'version'), await compare('share page as JSON', `shares/${share}`)]
}
