import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import { testApp } from './app/app.ts'
import { answerTo, begin, fetchWhole, listen, type Reply } from './listening.ts'
import { signUp } from './people/people.ts'
import { ok, sharing } from './sharing.ts'

/** The content of a file that is longer than what sockets buffer. */
export const big = randomBytes(24_000_000)

/** Returns the path of a file. */
export const path = (share: string, file: string) => `/api/shares/${share}/files/${file}`

/** Returns status and code of a refusal. */
export const errorOf = ({ status, body }: Reply) => [status, JSON.parse(body.toString()).error]

/** Waits until `read` returns the expected value, which is recorded within two seconds. */
export async function becomes<T>(t: Test, read: () => Promise<T>, expected: T, name = 'is recorded'): Promise<void> {
  let value = await read()
  for (let n = 0; n < 40 && JSON.stringify(value) !== JSON.stringify(expected); n++) {
    await sleep(100)
    value = await read()
  }
  t.same(value, expected, name)
}

/** Starts two servers with the same data, a sender and a visitor, for tests of downloads. */
export async function downloading(t: Test) {
  const { app, ctx, database } = await testApp(t, { env: { drainSeconds: 0 } })
  const { app: otherApp } = await testApp(t, { database, storage: ctx.storage })
  const [port, otherPort] = [await listen(app), await listen(otherApp)]
  const alice = sharing(app, await signUp(app, 'alice'))
  const links = async (id: string) => ok(await alice.call('GET', `/${id}/links`)).json()

  /** Begins a download, of which only what sockets buffer is sent until the response is read. */
  async function start(url: string, headers: OutgoingHttpHeaders = {}, at = port): Promise<IncomingMessage> {
    const sent = begin(at, url, { headers })
    sent.end()
    return answerTo(sent)
  }

  return {
    ...{ app, ctx, port, otherPort, alice, links, start },
    visitor: sharing(app),
    get: (url: string, headers: OutgoingHttpHeaders = {}, at = port) => fetchWhole(at, url, { headers }),
    /** Returns the number of downloads through the first link of a share. */
    downloads: async (id: string) => (await links(id))[0].downloads,
    activity: async (id: string) => ok(await alice.call('GET', `/${id}/activity`)).json(),
    /** Begins a download and cuts it after the first bytes. */
    async interrupt(url: string, headers: OutgoingHttpHeaders = {}): Promise<void> {
      const answer = await start(url, headers)
      await once(answer, 'data')
      answer.destroy()
      await sleep(100)
    },
  }
}
