import { randomUUID } from 'node:crypto'
import { CreateMultipartUploadCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { DirectAccess } from '../object-store.ts'
import type { S3Clients, S3Settings } from './client.ts'
import { corsProblem } from './cors.ts'
import { rethrow } from './errors.ts'
import { abortUpload } from './open-uploads.ts'
import { exchange } from './plain-request.ts'
import { remover } from './remove.ts'

export const PROBES = 'probe/'
const FORGOTTEN = 3_600_000 // ms after which a probe is one of a process that died
const BODY = 'probe'

/** What the test works on: an object that nobody may copy, and an upload to send parts to. */
interface Probe {
  victim: string
  key: string
  id: string
}

/**
 * Why browsers must not be let at the bucket, as the end of a sentence; null when they may. Tries it out as a browser would, and as an attacker: servers that look at
 * signed headers only (CVE-2026-54330 and its kind) let whoever has a signed PUT copy any object of ours into it, or make it public, and no way of signing
 * prevents that. Rejects when the store cannot be asked.
 */
export async function directProblem(clients: S3Clients, { appUrl }: S3Settings, access: DirectAccess): Promise<string | null> {
  if (appUrl === null) return 'APP_URL must be set to the address that browsers open.'
  const origin = new URL(appUrl).origin
  if (origin.startsWith('https:') && access.origin.startsWith('http:')) {
    return `browsers refuse to send from ${origin} to ${access.origin}: set S3_PUBLIC_ENDPOINT to an address with https.`
  }
  await removeForgotten(clients)
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
  await control.send(new PutObjectCommand({ Bucket: bucket, Key: victim, Body: 'secret' })).catch(rethrow)
  const { UploadId } = await control.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: key })).catch(rethrow)
  return { victim, key, id: UploadId! }
}

/** A part must be taken, and one of another length refused. */
async function signatureProblem({ agents }: S3Clients, url: string): Promise<string | null> {
  const taken = await exchange(agents, url, { method: 'PUT', body: BODY })
  if (taken.status !== 200) return `a signed part is answered ${taken.status}: ${taken.text.slice(0, 300)}`
  const longer = await exchange(agents, url, { method: 'PUT', body: `${BODY} and more` })
  return isRefusal(longer.status) ? null : 'the store takes parts of another length than was signed.'
}

/** Headers that were not signed must be refused, on a part and on an object. */
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
    if (!isRefusal(status))
      return `the store obeys the header ${header} that was not signed: uploaders could read or publish files of others.`
  }
  return null
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500
}

async function removeForgotten(clients: S3Clients): Promise<void> {
  const { Contents = [] } = await clients.control.send(new ListObjectsV2Command({ Bucket: clients.bucket, Prefix: PROBES })).catch(rethrow)
  const before = Date.now() - FORGOTTEN
  const old = Contents.filter(({ LastModified }) => (LastModified?.getTime() ?? 0) < before)
  await remover(clients)(old.map(({ Key }) => Key!))
}
