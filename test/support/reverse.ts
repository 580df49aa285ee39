import type { FastifyInstance } from 'fastify'
import { type Answer, cookiesOf, ok, sharing } from './sharing.ts'

type Headers = Record<string, string>

/** One person's calls about reverse shares (their cookies in `headers`), in short form. */
export function reversing(app: FastifyInstance, headers: Headers = {}) {
  const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object, more: Headers = {}): Promise<Answer> =>
    app.inject({ method, url: `/api/reverseShares${url}`, headers: { ...headers, ...more }, ...(payload && { payload }) })
  return {
    call,
    make: (more: object = {}) =>
      call('POST', '', { shareExpiration: '1-day', maxShareSize: '1000', maxUseCount: 1, sendEmailNotification: false, ...more }),
    /** Creates a link. Returns its token. */
    async link(token: string, more: object = {}): Promise<string> {
      return ok(await this.make({ token, ...more })).json().token
    },
    /** One of the person's links, as in the list. */
    async mine(token: string) {
      const links: Record<string, unknown>[] = ok(await call('GET', '')).json()
      const found = links.find((link) => link.token === token)
      if (!found) throw new Error(`${token} is not listed`)
      return found as { id: string; remainingUses: number; shares: ({ id: string } & Record<string, unknown>)[] } & Record<string, unknown>
    },
  }
}

/** Uploads by visitors without an account through links. */
export function sending(app: FastifyInstance) {
  /** Creates a share through the link. Returns its uploader, with the cookies from the response. */
  async function send(reverseShareToken: string, id: string, more: object = {}, headers: Headers = {}) {
    const answer = await sharing(app, headers).call('POST', '', { id, reverseShareToken, ...more })
    return { answer, sender: sharing(app, cookiesOf(answer)) }
  }

  /** Creates and completes a share with files through the link. */
  async function sendFiles(token: string, id: string, files: Record<string, string>, more: object = {}) {
    const { answer, sender } = await send(token, id, more)
    ok(answer)
    const ids: string[] = []
    for (const [name, content] of Object.entries(files)) ids.push(await sender.file(id, name, content))
    const completed = ok(await sender.call('POST', `/${id}/complete`))
    return { sender, ids, completed }
  }

  return { send, sendFiles }
}
