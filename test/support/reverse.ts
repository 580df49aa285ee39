import type { FastifyInstance } from 'fastify'
import { type Answer, ok } from './sharing.ts'

type Headers = Record<string, string>

/** The calls about reverse shares of one person (their cookies in `headers`), in short. */
export function reversing(app: FastifyInstance, headers: Headers = {}) {
  const call = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object, more: Headers = {}): Promise<Answer> =>
    app.inject({ method, url: `/api/reverseShares${url}`, headers: { ...headers, ...more }, ...(payload && { payload }) })
  return {
    call,
    make: (more: object = {}) =>
      call('POST', '', { shareExpiration: '1-day', maxShareSize: '1000', maxUseCount: 1, sendEmailNotification: false, ...more }),
    /** Makes a link; answers its token. */
    async link(token: string, more: object = {}): Promise<string> {
      return ok(await this.make({ token, ...more })).json().token
    },
    /** One of the own links, as the list has it. */
    async mine(token: string) {
      const links: Record<string, unknown>[] = ok(await call('GET', '')).json()
      const found = links.find((link) => link.token === token)
      if (!found) throw new Error(`${token} is not listed`)
      return found as { id: string; remainingUses: number; shares: ({ id: string } & Record<string, unknown>)[] } & Record<string, unknown>
    },
  }
}
