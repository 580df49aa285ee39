import { GetObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { DirectAccess, SignedRequest } from '../object-store.ts'
import type { S3Clients } from './client.ts'

/** Seconds that a signed URL is valid for. Requests that have begun by then still complete. */
const EXPIRES_AFTER = 120

/**
 * Creates the signer for the public address of the bucket. It makes no connections. `now` returns
 * milliseconds since 1970.
 */
export function signer({ sign, bucket }: S3Clients, origin: string, now = Date.now): DirectAccess {
  const signed = async (sign: (options: { expiresIn: number; signingDate: Date }) => Promise<string>): Promise<SignedRequest> => {
    const signingDate = new Date(now())
    const expiresAt = new Date(signingDate.getTime() + EXPIRES_AFTER * 1000)
    return { url: await sign({ expiresIn: EXPIRES_AFTER, signingDate }), headers: {}, expiresAt }
  }
  return {
    origin,
    signPart({ key, id }, number, length) {
      // The length becomes a signed header. Browsers set it themselves, from what they send.
      const command = new UploadPartCommand({ Bucket: bucket, Key: key, UploadId: id, PartNumber: number, ContentLength: length })
      return signed((options) => getSignedUrl(sign, command, options))
    },
    signRead(key, { type, disposition, cacheControl }) {
      const overrides = { ResponseContentType: type, ResponseContentDisposition: disposition, ResponseCacheControl: cacheControl }
      return signed((options) => getSignedUrl(sign, new GetObjectCommand({ Bucket: bucket, Key: key, ...overrides }), options))
    },
  }
}
