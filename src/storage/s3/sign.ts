import { GetObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { DirectAccess, SignedRequest } from '../object-store.ts'
import type { S3Clients } from './client.ts'

/** Seconds that a signed address is good for; what has begun by then goes on to its end. */
const EXPIRES = 900

/** Signs requests to the address of the bucket that browsers know; connects to nothing. `now` is milliseconds since 1970. */
export function signer({ sign, bucket }: S3Clients, origin: string, now = Date.now): DirectAccess {
  const requestOf = async (url: (options: { expiresIn: number; signingDate: Date }) => Promise<string>): Promise<SignedRequest> => {
    const signingDate = new Date(now())
    const expiresAt = new Date(signingDate.getTime() + EXPIRES * 1000)
    return { url: await url({ expiresIn: EXPIRES, signingDate }), headers: {}, expiresAt }
  }
  return {
    origin,
    signPart({ key, id }, number, length) {
      // The length becomes one of the signed headers, which a browser takes from what it sends.
      const command = new UploadPartCommand({ Bucket: bucket, Key: key, UploadId: id, PartNumber: number, ContentLength: length })
      return requestOf((options) => getSignedUrl(sign, command, options))
    },
    signRead(key, { type, disposition, cacheControl }) {
      const answer = { ResponseContentType: type, ResponseContentDisposition: disposition, ResponseCacheControl: cacheControl }
      return requestOf((options) => getSignedUrl(sign, new GetObjectCommand({ Bucket: bucket, Key: key, ...answer }), options))
    },
  }
}
