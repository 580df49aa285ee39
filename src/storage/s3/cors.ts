import { GetBucketCorsCommand, PutBucketCorsCommand } from '@aws-sdk/client-s3'
import type { S3Clients } from './client.ts'
import { nameOf, statusOf } from './errors.ts'
import { exchange } from './plain-request.ts'

const FOREIGN = 'https://foreign.example'

/** What the bucket's CORS rules must say, in the words that every provider takes (R2 has no `*` for headers). */
export function corsRule(origin: string) {
  return {
    AllowedOrigins: [origin],
    AllowedMethods: ['PUT', 'GET', 'HEAD'],
    AllowedHeaders: ['content-type', 'content-md5'],
    ExposeHeaders: ['ETag'],
    MaxAgeSeconds: 3600,
  }
}

/**
 * Why pages of `origin` cannot send to `url`, or pages of others can; null when all is right. Gives a bucket without any rules ours; never changes rules that
 * are there. Rejects when there is no answer.
 */
export async function corsProblem(clients: S3Clients, url: string, origin: string): Promise<string | null> {
  const allowed = (from: string) => preflight(clients, url, from)
  if (!(await allowed(origin)) && !((await setRule(clients, origin)) && (await allowed(origin)))) {
    return `the bucket's CORS rules do not let pages of ${origin} send to it. Add this rule: ${JSON.stringify(corsRule(origin))}`
  }
  if (await allowed(FOREIGN)) return `the bucket's CORS rules let pages of any site send to it. Allow ${origin} alone.`
  return null
}

/** What a browser asks before a PUT from a page of `origin`. */
async function preflight({ agents }: S3Clients, url: string, origin: string): Promise<boolean> {
  const headers = { origin, 'access-control-request-method': 'PUT' }
  const answer = await exchange(agents, url, { method: 'OPTIONS', headers })
  const origins = answer.headers['access-control-allow-origin']
  const methods = String(answer.headers['access-control-allow-methods'] ?? '')
  return answer.status < 300 && (origins === origin || origins === '*') && /\bPUT\b|\*/.test(methods)
}

async function setRule({ control, bucket }: S3Clients, origin: string): Promise<boolean> {
  const none = await control.send(new GetBucketCorsCommand({ Bucket: bucket })).then(
    ({ CORSRules = [] }) => CORSRules.length === 0,
    (error) => nameOf(error) === 'NoSuchCORSConfiguration' || statusOf(error) === 404,
  )
  if (!none) return false
  const CORSConfiguration = { CORSRules: [corsRule(origin)] }
  return control.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration })).then(
    () => true,
    () => false, // the right to set rules is often kept from such a key: then the operator must
  )
}
