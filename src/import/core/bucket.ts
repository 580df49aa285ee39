import { StartError } from '../../errors.ts'
import { type S3Settings, s3Clients } from '../../storage/s3/client.ts'
import { objectSize } from '../../storage/s3/finish.ts'
import { openObject } from '../../storage/s3/read.ts'
import type { FoundBytes } from './source.ts'

/** Finds objects in another product's bucket. */
export interface ObjectFinder {
  find(...keys: string[]): Promise<FoundBytes | null>
  close(): void
}

export type BucketSettings = Pick<S3Settings, 'endpoint' | 'region' | 'bucket' | 'credentials' | 'forcePathStyle'>

/**
 * Opens another product's bucket for reading. `find` returns the first of several keys that exists,
 * and makes the first connection.
 */
export function openBucket(settings: BucketSettings): ObjectFinder {
  const clients = s3Clients({ ...settings, publicEndpoint: null, caFile: null, direct: false, appUrl: null })
  return {
    async find(...keys) {
      for (const key of keys) {
        const size = await objectSize(clients, key).catch((error: Error) => {
          throw new StartError(`The bucket ${settings.bucket} cannot be read: ${error.message}`, { cause: error })
        })
        if (size !== null) return { size, open: async () => (await openObject(clients, key)).body }
      }
      return null
    },
    close: () => clients.destroy(),
  }
}

/** Returns the bucket of the variables `IMPORT_S3_*`; null if no bucket is named. */
export function bucketOfEnv(env: NodeJS.ProcessEnv): BucketSettings | null {
  const { IMPORT_S3_BUCKET: bucket, IMPORT_S3_ACCESS_KEY_ID: accessKeyId, IMPORT_S3_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (!bucket) return null
  return {
    bucket,
    endpoint: env.IMPORT_S3_ENDPOINT || null,
    region: env.IMPORT_S3_REGION || 'us-east-1',
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null,
    forcePathStyle: env.IMPORT_S3_FORCE_PATH_STYLE !== 'false',
  }
}
