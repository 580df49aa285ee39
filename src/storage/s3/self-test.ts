import { randomUUID } from 'node:crypto'
import { CreateMultipartUploadCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { type DirectAccess, StoreUnavailable } from '../object-store.ts'
import type { S3Clients, S3Settings } from './client.ts'
import { corsProblem } from './cors.ts'
import { nameOf, throwS3Error } from './errors.ts'
import { abortUpload } from './open-uploads.ts'
import { exchange } from './plain-request.ts'
import { remover } from './remove.ts'

export const PROBES = 'probe/'
const LEFTOVER_AFTER = 3_600_000 // ms after which a probe must be from a crashed process
const BODY = 'probe'

/** The test data: an object that must not be copied, and an upload that receives parts. */
interface Probe {
  victim: string
  key: string
  id: string
}

/**
 * Returns why browsers must not use the bucket directly, as the end of a sentence; null if they
 * may. Tests it as a browser and as an attacker would. Servers that check only signed headers (such
 * as CVE-2026-54330) let the holder of a signed PUT copy any of our objects into it, or make it
 * public, and no signature prevents that. Rejects if the store does not respond.
 */
export async function directProblem(clients: S3Clients, { appUrl }: S3Settings, access: DirectAccess): Promise<string | null> {
  if (appUrl === null) return 'APP_URL must be set to the address that browsers open.'
  const origin = new URL(appUrl).origin
  if (origin.startsWith('https:') && access.origin.startsWith('http:')) {
    return `browsers refuse to send from ${origin} to ${access.origin}: set S3_PUBLIC_ENDPOINT to an address with https.`
  }
  await removeLeftovers(clients)
  const probe = await beginProbe(clients)
  try {
    const { url } = await access.signPart(probe, 1, BODY.length)
    return (await corsProblem(clients, url, origin)) ?? (await signatureProblem(clients, url)) ?? (await headerProblem(clients, url, probe))
  } finally {
    await abortUpload(clients, probe)
    await remover(clients)([probe.victim, probe.key])
  }
}

async function beginProbe({ control, bucket }: S3Clients): Promise<Probe> {
  const [victim, key] = [`${PROBES}${randomUUID()}`, `${PROBES}${randomUUID()}`]
  await control.send(new PutObjectCommand({ Bucket: bucket, Key: victim, Body: 'secret' })).catch(throwS3Error)
  const { UploadId } = await control.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: key })).catch(throwS3Error)
  if (!UploadId) throw new StoreUnavailable('S3 began an upload without an ID')
  return { victim, key, id: UploadId }
}

/** The store must accept a part, and refuse one of another length. */
async function signatureProblem({ agents }: S3Clients, url: string): Promise<string | null> {
  const accepted = await exchange(agents, url, { method: 'PUT', body: BODY })
  if (accepted.status !== 200) return `the response to a signed part is ${accepted.status}: ${accepted.text.slice(0, 300)}`
  const longer = await exchange(agents, url, { method: 'PUT', body: `${BODY} and more` })
  return isRefusal(longer.status) ? null : 'the store accepts parts of another length than was signed.'
}

/** The store must refuse unsigned headers, on a part and on an object. */
async function headerProblem(clients: S3Clients, partUrl: string, { victim, key }: Probe): Promise<string | null> {
  const { agents, sign, bucket } = clients
  const put = new PutObjectCommand({ Bucket: bucket, Key: key, ContentLength: BODY.length })
  const objectUrl = await getSignedUrl(sign, put, { expiresIn: 60 })
  const attacks = [
    [partUrl, 'x-amz-copy-source', `/${bucket}/${victim}`],
    [objectUrl, 'x-amz-copy-source', `/${bucket}/${victim}`],
    [objectUrl, 'x-amz-acl', 'public-read'],
  ] as const
  for (const [url, header, value] of attacks) {
    const { status } = await exchange(agents, url, { method: 'PUT', headers: { [header]: value }, body: BODY })
    if (!isRefusal(status)) return `the store obeys the unsigned header ${header}: uploaders could read or publish the files of others.`
  }
  return null
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500
}

async function removeLeftovers(clients: S3Clients): Promise<void> {
  const { Contents = [] } = await clients.control
    .send(new ListObjectsV2Command({ Bucket: clients.bucket, Prefix: PROBES }))
    .catch((error) => (nameOf(error) === 'AccessDenied' ? { Contents: [] } : throwS3Error(error)))
  const before = Date.now() - LEFTOVER_AFTER
  const old = Contents.filter(({ LastModified }) => (LastModified?.getTime() ?? 0) < before)
  await remover(clients)(old.flatMap(({ Key }) => Key ?? []))
}
