import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Answer } from './sharing.ts'

type Headers = Record<string, string>
interface FileToPack {
  name: string
  bytes: Buffer | string
  type?: string
}

/** A new ID for a pack. */
export const packId = () => randomUUID().replace(/....$/, '0000')

/** The body of a pack: its manifest, and the bytes of its files. */
export function packBody(files: FileToPack[], { id = packId(), ...more }: { id?: string } & Record<string, unknown> = {}): Buffer {
  const described = files.map(({ name, bytes, type }) => ({ name, size: Buffer.byteLength(bytes), ...(type && { type }) }))
  const manifest = { id, files: described, ...more }
  return Buffer.concat([Buffer.from(`${JSON.stringify(manifest)}\n`), ...files.map(({ bytes }) => Buffer.from(bytes))])
}

/** Sends the body of a pack. */
export function sendPack(app: FastifyInstance, headers: Headers, share: string, body: Buffer): Promise<Answer> {
  return app.inject({
    method: 'POST',
    url: `/api/shares/${share}/packs`,
    headers: { 'content-type': 'application/octet-stream', ...headers },
    payload: body,
  })
}
