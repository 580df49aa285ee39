import {
  GetBucketVersioningCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { StoreUnavailable, type StoreWarning } from '../object-store.ts'
import type { S3Clients, S3Settings } from './client.ts'
import { nameOf, statusOf } from './errors.ts'

/** An object that stays in buckets which may not be listed. */
const MARKER = 'probe/check'

interface BucketCheck {
  check(): Promise<void>
  warnings(): StoreWarning[]
}

/**
 * Creates the check of one bucket. It rejects with StoreUnavailable and a sentence for the operator
 * if the bucket can't be used. Until the first success it lists the bucket, because any web server
 * responds to HEAD with 200. Later it sends the cheaper HeadBucket, and lists the bucket only to
 * get an error text. A key that may not list the bucket is checked with an object instead; `warn`
 * is called once about what such a bucket lacks, and about a clock that is wrong. `warnings`
 * returns the same for the System page.
 */
export function bucketCheck(clients: S3Clients, settings: S3Settings, warn: (message: string) => void): BucketCheck {
  const { control, bucket } = clients
  const warnings = new Map<StoreWarning['code'], StoreWarning>()
  const report = (warning: StoreWarning) => {
    if (!warnings.has(warning.code)) warn(explainWarning(warning, bucket))
    warnings.set(warning.code, warning)
  }
  let hasPassed = false
  let mayList = true
  const list = async () => {
    const { Name, MaxKeys } = await control.send(new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1 }))
    if (Name === undefined && MaxKeys === undefined) throw new Error('the response is not from an S3 server. Check S3_ENDPOINT.')
  }
  const head = async () => {
    await control.send(new HeadBucketCommand({ Bucket: bucket })).catch((error) => {
      if (statusOf(error) === undefined) throw error
      return list()
    })
  }
  /**
   * Lets all clients sign with the store's time, which the SDK reads from each response of one
   * client.
   */
  const adoptClock = () => {
    const offset = control.config.systemClockOffset
    const minutes = Math.round(Math.abs(offset) / 60_000)
    clients.setClock(minutes > 0 ? offset : 0)
    if (minutes > 0) report({ code: 'clock', minutes })
    else warnings.delete('clock')
  }
  const look = async () => {
    if (!mayList) return checkByObject(clients)
    try {
      await (hasPassed ? head() : list())
    } catch (error) {
      if (statusOf(error) !== 403 || nameOf(error) !== 'AccessDenied') throw error
      await checkByObject(clients).catch(() => {
        throw error
      })
      mayList = false
      report({ code: 'unlisted' })
    }
  }
  const check = async () => {
    try {
      await look().catch((error) => {
        if (nameOf(error) !== 'RequestTimeTooSkewed') throw error
        return look() // the SDK has learned the time from the refusal
      })
      adoptClock()
      if (!hasPassed && (await isVersioned(clients))) report({ code: 'versioned' })
      hasPassed = true
    } catch (error) {
      throw new StoreUnavailable(explainProblem(error, settings), { cause: error })
    }
  }
  return { check, warnings: () => [...warnings.values()] }
}

/** Reads a small object, which is written if it doesn't exist. */
async function checkByObject({ control, bucket }: S3Clients): Promise<void> {
  const marker = { Bucket: bucket, Key: MARKER }
  try {
    await control.send(new HeadObjectCommand(marker))
  } catch (error) {
    if (statusOf(error) !== 403 && statusOf(error) !== 404) throw error // without the right to list, missing objects are 403
    await control.send(new PutObjectCommand({ ...marker, Body: 'check' }))
    await control.send(new HeadObjectCommand(marker))
  }
}

/** Returns whether the bucket keeps deleted objects; false if the key may not ask. */
async function isVersioned({ control, bucket }: S3Clients): Promise<boolean> {
  const versioning = await control.send(new GetBucketVersioningCommand({ Bucket: bucket })).catch(() => null)
  return versioning?.Status === 'Enabled'
}

function explainWarning(warning: StoreWarning, bucket: string): string {
  switch (warning.code) {
    case 'versioned':
      return `The bucket "${bucket}" is versioned, so the bytes of deleted files stay in it. Add a lifecycle rule for noncurrent versions: see docs/s3.md.`
    case 'unlisted':
      return `The key may not list the bucket "${bucket}", so abandoned uploads are not removed from it: add a lifecycle rule.`
    case 'clock':
      return `The clocks of this machine and of the store differ by ${warning.minutes} minutes. Synchronize both with NTP.`
  }
}

/** Returns what is wrong, and which variable fixes it. */
export function explainProblem(error: unknown, settings: S3Settings): string {
  const { endpoint, region, bucket, caFile } = settings
  const where = endpoint ?? 'AWS S3'
  const { message } = error as Error
  const name = nameOf(error)
  switch (name) {
    case 'NoSuchBucket':
    case 'NotFound':
      return `There is no bucket "${bucket}" at ${where}. Create it, or check S3_BUCKET.`
    case 'InvalidBucketName':
      return `"${bucket}" is not a valid bucket name. Check S3_BUCKET.`
    case 'InvalidAccessKeyId':
      return `${where} does not know the access key. Check S3_ACCESS_KEY_ID.`
    case 'SignatureDoesNotMatch':
      return `${where} rejects the signature: the secret key does not belong to the access key. Check S3_SECRET_ACCESS_KEY.`
    case 'AuthorizationHeaderMalformed':
    case 'PermanentRedirect':
    case 'IllegalLocationConstraintException':
      return `The bucket "${bucket}" is not in the region "${region}". Check S3_REGION. ${where} says: ${message}`
    case 'RequestTimeTooSkewed':
      return `The clocks of this machine and of ${where} differ by more than 15 minutes. Synchronize both with NTP.`
    case 'AccessDenied':
    case 'Forbidden':
      return `The access key may not use the bucket "${bucket}". It needs permission to list it and to read, write and delete its objects.`
    case 'CredentialsProviderError':
      return 'There are no credentials for S3. Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or assign a role to this machine.'
    case 'ECONNREFUSED':
      return `Nothing listens at ${where}. Check S3_ENDPOINT, and whether the store is running.`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host name of ${where} cannot be resolved. Check S3_ENDPOINT.`
    case 'EPROTO':
      return `${where} does not speak TLS. Check S3_ENDPOINT: http:// or https://.`
    case 'TimeoutError':
    case 'AbortError':
    case 'ETIMEDOUT':
      return `${where} does not respond. Check S3_ENDPOINT, and whether a firewall blocks the connection.`
  }
  if (/CERT|ALTNAME|SIGNED|LEAF|ISSUER/.test(name)) {
    const advice = caFile
      ? `S3_CA_FILE (${caFile}) does not contain its certificate authority.`
      : 'Set S3_CA_FILE to its certificate authority.'
    return `The certificate of ${where} is not trusted (${message}). ${advice}`
  }
  const detail = name === 'Error' ? '' : `${name}${statusOf(error) ? ` (status ${statusOf(error)})` : ''}: `
  return `${where} cannot be used: ${detail}${message}`
}
