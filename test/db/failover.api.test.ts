import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { dataFolder, type ServerProcess, startServer } from '../support/app/server-process.ts'
import { eventually } from '../support/app/worker.ts'
import type { Reply } from '../support/listening.ts'
import { person, ready, signUp } from '../support/people/person.ts'
import { overTcp } from '../support/postgres-over-tcp.ts'
import { startReplication } from '../support/replication.ts'

t.setTimeout(180_000) // two PostgreSQL servers and a whole product on a small machine

t.test('continues without a restart when a standby takes over', async (t) => {
  const { primary, standby } = await startReplication(t)
  let current = primary.socket
  const url = await overTcp(t, primary.socket, () => current)
  const secretKey = 'the secret key of these tests, 32 characters'
  const server = await startServer(t, await dataFolder(t), { DATABASE_URL: url, SECRET_KEY: secretKey })
  const cookie = await signUp(server)
  const owner = person(server, cookie)
  const content = randomBytes(100_000)
  const file = await owner.share('before', content)
  await finishesJobs(server, 0)
  const written = await primary.query('select pg_current_wal_lsn()')
  await eventually(async () => (await standby.query(`select pg_last_wal_replay_lsn() >= '${written}'`)) === true, 'all is replicated')
  const traffic = keepCalling(server, cookie)
  const creates = (after: number) =>
    eventually(() => traffic.replies.slice(after).some(({ status }) => status === 201), 'shares are created')
  await creates(0)

  await primary.kill()
  await eventually(async () => (await ready(server)).code === 503, 'the outage is noticed')
  current = standby.socket
  await eventually(() => traffic.replies.some(({ body }) => String(body).includes('unavailable')), 'requests are refused')
  await eventually(async () => {
    t.match(await ready(server), { code: 503, dependencies: { database: 'down' } })
    return server.output().includes('PostgreSQL is read-only: it is a standby')
  }, 'the standby is named in the log')

  await standby.query('select pg_promote()')
  await eventually(async () => (await ready(server)).code === 200, 'it is ready again')
  await creates(traffic.replies.length)
  const replies = await traffic.stop()
  t.same([...new Set(replies.map(({ status }) => status))].sort(), [200, 201, 503])
  for (const { headers } of replies.filter(({ status }) => status === 503)) t.ok(Number(headers['retry-after']) > 0)
  t.ok((await owner.good('GET', `/shares/before/files/${file}`)).body.equals(content), 'nothing is lost')
  const jobs = server.logged('job done').length
  const later = await owner.share('after', content)
  t.ok((await owner.good('GET', `/shares/after/files/${later}`)).body.equals(content))
  await finishesJobs(server, jobs)
})

/** Waits until the worker has done more than `count` jobs. */
async function finishesJobs(server: ServerProcess, count: number): Promise<void> {
  await eventually(() => server.logged('job done').length > count, 'the worker has done a job')
}

/** Reads and writes every 100 ms until `stop`. */
function keepCalling(server: ServerProcess, cookie: string): { replies: Reply[]; stop(): Promise<Reply[]> } {
  const caller = person(server, cookie)
  const replies: Reply[] = []
  let isOver = false
  const calling = (async () => {
    for (let n = 0; !isOver; n++) {
      const both = [caller.call('GET', '/shares'), caller.call('POST', '/shares', { id: `during-${n}`, expiration: 'never' })]
      replies.push(...(await Promise.all(both)))
      await sleep(100)
    }
  })()
  return {
    replies,
    async stop() {
      isOver = true
      await calling
      return replies
    },
  }
}
