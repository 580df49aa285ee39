import { GetBucketCorsCommand, PutBucketCorsCommand } from '@aws-sdk/client-s3'
import type { S3Clients } from './client.ts'
import { nameOf, statusOf } from './errors.ts'
import { exchange } from './plain-request.ts'

const FOREIGN = 'https://foreign.example'

/**
 * Returns the CORS rule that the bucket needs, in a form that every provider accepts (R2 has no `*`
 * for headers).
 */
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
 * Returns why pages of `origin` can't send to `url`, or why pages of other sites can; null if
 * neither is the case. Sets our rule on a bucket without any, but never changes existing rules.
 * Rejects without a response.
 */
export async function corsProblem(clients: S3Clients, url: string, origin: string): Promise<string | null> {
  const isAllowed = (from: string) => preflight(clients, url, from)
  if (!(await isAllowed(origin)) && !((await setRule(clients, origin)) && (await isAllowed(origin)))) {
    return `the bucket's CORS rules do not let pages of ${origin} send to it. Add this rule: ${JSON.stringify(corsRule(origin))}`
  }
  if (await isAllowed(FOREIGN)) return `the bucket's CORS rules let pages of any site send to it. Allow ${origin} alone.`
  return null
}

/** Sends the preflight request for a PUT from a page of `origin`; returns whether it is allowed. */
async function preflight({ agents }: S3Clients, url: string, origin: string): Promise<boolean> {
  const headers = { origin, 'access-control-request-method': 'PUT' }
  const response = await exchange(agents, url, { method: 'OPTIONS', headers })
  const origins = response.headers['access-control-allow-origin']
  const methods = String(response.headers['access-control-allow-methods'] ?? '')
  return response.status < 300 && (origins === origin || origins === '*') && /\bPUT\b|\*/.test(methods)
}

async function setRule({ control, bucket }: S3Clients, origin: string): Promise<boolean> {
  const hasNoRules = await control.send(new GetBucketCorsCommand({ Bucket: bucket })).then(
    ({ CORSRules = [] }) => CORSRules.length === 0,
    (error) => nameOf(error) === 'NoSuchCORSConfiguration' || statusOf(error) === 404,
  )
  if (!hasNoRules) return false
  const CORSConfiguration = { CORSRules: [corsRule(origin)] }
  return control.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration })).then(
    () => true,
    () => false, // keys often lack this permission; then the operator must set the rule
  )
}
