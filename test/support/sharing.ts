import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { storeSetting } from '../../src/config/queries.ts'
import type { SettingKey } from '../../src/config/settings.ts'
import type { Context } from '../../src/context.ts'
import { undoFor } from '../../src/shares/limits.ts'
import { deleteExpiredShares } from '../../worker/clean-up-queries.ts'

export type Answer = LightMyRequestResponse
type Headers = Record<string, string>

/** Changes one setting as an administrator would. */
export async function set(ctx: Context, key: SettingKey, value: unknown): Promise<void> {
  await storeSetting(ctx.db, key, value, new Date())
}

/** One person's calls (their cookies in `headers`), in short form. */
export function sharing(app: FastifyInstance, headers: Headers = {}) {
  const call = (method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object, more: Headers = {}) =>
    app.inject({ method, url: `/api/shares${url}`, headers: { ...headers, ...more }, ...(payload && { payload }) })
  return {
    call,
    create: (id: string, more: object = {}) => call('POST', '', { id, expiration: '1-day', ...more }),
    announce: (id: string, name: string, size: unknown) => call('POST', `/${id}/files`, { name, size }),
    part: (id: string, fileId: string, number: number, bytes: Buffer, more: Headers = {}) =>
      app.inject({
        method: 'PUT',
        url: `/api/shares/${id}/files/${fileId}/parts/${number}`,
        headers: { 'content-type': 'application/octet-stream', ...headers, ...more },
        payload: bytes,
      }),
    /** Uploads a file as one chunk, like compatible clients. */
    chunk: (id: string, name: string, bytes: Buffer) =>
      app.inject({
        method: 'POST',
        url: `/api/shares/${id}/files?name=${name}&chunkIndex=0&totalChunks=1`,
        headers: { 'content-type': 'application/octet-stream', ...headers },
        payload: bytes,
      }),
    /** Uploads a small file whole. Returns its id. */
    async file(id: string, name: string, bytes: Buffer | string): Promise<string> {
      const content = Buffer.from(bytes)
      const { id: fileId, partCount, partSize } = ok(await this.announce(id, name, content.length)).json()
      for (let n = 1; n <= partCount; n++) ok(await this.part(id, fileId, n, content.subarray((n - 1) * partSize, n * partSize)))
      ok(await call('POST', `/${id}/files/${fileId}/complete`))
      return fileId
    },
    /** Creates a share of these files and completes it. Returns the files' ids. */
    async share(id: string, files: Record<string, Buffer | string>, more: object = {}): Promise<string[]> {
      ok(await this.create(id, more))
      const ids: string[] = []
      for (const [name, bytes] of Object.entries(files)) ids.push(await this.file(id, name, bytes))
      ok(await call('POST', `/${id}/complete`))
      return ids
    },
    /** Opens a share as a visitor. Returns the resulting cookies of the browser. */
    async unlock(id: string, password?: string): Promise<Headers> {
      const answer = ok(await call('POST', `/${id}/token`, password === undefined ? {} : { password }))
      return cookiesOf(answer)
    },
  }
}

/** Deletes a share, and its row as the clean-up does after the time in which this can be undone. */
export async function destroy(ctx: Context, owner: ReturnType<typeof sharing>, id: string): Promise<void> {
  ok(await owner.call('DELETE', `/${id}`))
  await deleteExpiredShares(ctx.db, { now: new Date(ctx.now().getTime() + undoFor), graceDays: 0 }, 100)
}

/** The context at the end of the time in which a deletion can be undone. */
export function afterUndo(ctx: Context): Context {
  return { ...ctx, now: () => new Date(Date.now() + undoFor) }
}

/** The response, unless it is a refusal. */
export function ok(answer: Answer): Answer {
  if (answer.statusCode >= 300) throw new Error(`refused: ${answer.body}`)
  return answer
}

/** The cookies that a response set, as the next request sends them. */
export function cookiesOf({ cookies }: Answer): Headers {
  return { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') }
}

/** Status and code of a refusal, to compare both at once. */
export function refusal(answer: Answer): [status: number, error: string] {
  return [answer.statusCode, answer.json().error]
}
