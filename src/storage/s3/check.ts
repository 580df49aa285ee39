import { HeadBucketCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { StoreUnavailable } from '../object-store.ts'
import type { S3Clients, S3Settings } from './client.ts'
import { nameOf, statusOf } from './errors.ts'

/**
 * Creates the check of one bucket. It rejects with StoreUnavailable and a sentence for the operator
 * if the bucket can't be used. Until the first success it lists the bucket, because any web server
 * responds to HEAD with 200. Later it sends the cheaper HeadBucket, and lists the bucket only to
 * get an error text.
 */
export function bucketCheck({ control, bucket }: S3Clients, settings: S3Settings): () => Promise<void> {
  let hasPassed = false
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
  return async () => {
    try {
      await (hasPassed ? head() : list())
      hasPassed = true
    } catch (error) {
      throw new StoreUnavailable(explainProblem(error, settings), { cause: error })
    }
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
