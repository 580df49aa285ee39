import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { SUPERUSER } from '../../src/db/embedded/access.ts'
import { call } from '../support/api.ts'
import { atEnd } from '../support/closing.ts'
import { below, type Figure, seconds } from '../support/figures.ts'
import { fillDatabase, type Rows } from '../support/many-rows.ts'
import { administrator, type Server, startServer } from '../support/server.ts'
import { socketOf } from './share-page.ts'

/** What `--size 1` fills a database with. */
const full: Rows = { users: 100_000, shares: 1_000_000, files: 20, most: 10_000 }
const LIMIT = 50 // ms
const REQUESTS = 40

/** The words of searches: found often, seldom and never. */
const searches = ['iceland', 'Puffin harbour 4', 'scale-00000077', 'user.000042', 'nothing like it']

const lists: [what: string, paths: string[]][] = [
  ['own shares', ['/shares?page=1&limit=25', '/shares?page=2&limit=25', '/shares?page=9&limit=25']],
  ['own shares, last page', ['/shares?page=400&limit=25']],
  ['own shares, sorted', ['name', 'views', 'size', 'expiration'].map((sort) => `/shares?page=1&limit=25&sort=${sort}&order=asc`)],
  [
    'own shares, filtered',
    ['active', 'ended', 'expiring', 'password', 'received'].map((filter) => `/shares?page=1&limit=25&filter=${filter}`),
  ],
  ['own shares, searched', searches.map((text) => `/shares?page=1&limit=25&search=${encodeURIComponent(text)}`)],
  ['all shares', ['/shares/all?page=1&limit=25', '/shares/all?page=2&limit=25', '/shares/all?page=40&limit=25']],
  ...['name', 'creator', 'views', 'size', 'expiration', 'createdAt'].map((sort): [string, string[]] => [
    `all shares by ${sort}`,
    ['asc', 'desc'].map((order) => `/shares/all?page=1&limit=25&sort=${sort}&order=${order}`),
  ]),
  ...searches.map((text): [string, string[]] => [
    `all shares with "${text}"`,
    [`/shares/all?page=1&limit=25&search=${encodeURIComponent(text)}`],
  ]),
  ['users', ['/users?page=1&limit=25', '/users?page=9&limit=25']],
  ['users, searched', ['user.000042', '9@example', 'nobody'].map((text) => `/users?page=1&limit=25&search=${text}`)],
  ['reverse shares', ['/reverseShares?page=1&limit=10', '/reverseShares?page=9&limit=10']],
  ['a share for its owner', ['/shares/scale-00000000/from-owner']],
  ['system', ['/system']],
  ['recipients', ['/recipients']],
]

/**
 * Measures every list, search, sort and count of the pages on a database that is filled to `size` of
 * 100,000 users, a million shares and 20 million files, and how fast the clean-up deletes expired
 * shares.
 */
export async function scale({ size }: { size: number }): Promise<Figure[]> {
  const rows = {
    ...full,
    users: count(full.users, size),
    shares: count(full.shares, size),
    most: Math.min(full.most, count(full.shares / 4, size)),
  }
  const server = await startServer()
  const client = new pg.Client({ host: socketOf(server.dataDir), user: SUPERUSER, database: 'razorbill' })
  await client.connect()
  atEnd(() => client.end())
  const taken = await seconds(() => fillDatabase(client, administrator.username, rows))
  console.log(`  ${rows.users} users, ${rows.shares} shares and ${rows.shares * rows.files} files after ${taken.toFixed()} s`)
  const figures: Figure[] = []
  for (const [what, paths] of lists) figures.push(await measured(server, what, paths))
  figures.push(await cleaned(server, client, count(10_000, Math.min(1, size * 10))))
  return figures
}

const count = (all: number, size: number) => Math.max(10, Math.round(all * size))

/** Measures the 95th percentile of GET requests one after another, after one of each. */
async function measured(server: Server, what: string, paths: string[]): Promise<Figure> {
  for (const path of paths) await call(server, 'GET', path)
  const times: number[] = []
  for (let request = 0; request < REQUESTS; request++) {
    const path = paths[request % paths.length] as string
    times.push(1000 * (await seconds(() => call(server, 'GET', path))))
  }
  times.sort((a, b) => a - b)
  return below(`${what}, p95`, times[Math.ceil(REQUESTS * 0.95) - 1] as number, LIMIT, 'ms')
}

/** Lets shares expire, requests a clean-up, and measures how many it deletes in a minute. */
async function cleaned(server: Server, client: pg.Client, shares: number): Promise<Figure> {
  await client.query(
    `update share set expires_at = now() - interval '400 days' where id in (select id from share where id like 'scale-%' order by created_at limit $1)`,
    [shares],
  )
  const isLeft = 'select exists (select from share where expires_at <= now()) or exists (select from deleted_object) as left'
  const taken = await seconds(async () => {
    const { id } = await call<{ id: string }>(server, 'POST', '/shares', { expiration: 'never', recipients: [], security: {} })
    await call(server, 'DELETE', `/shares/${id}`)
    while ((await client.query<{ left: boolean }>(isLeft)).rows[0]?.left) await sleep(100)
  })
  const rate = (shares / taken) * 60
  return {
    what: `clean-up of ${shares} expired shares of 20 files`,
    value: `${Math.round(rate)} shares a minute`,
    target: 'at least 10000 a minute',
    met: rate >= 10_000,
    detail: 'their objects are missing',
  }
}
