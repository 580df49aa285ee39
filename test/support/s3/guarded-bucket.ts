import type { S3Settings } from '../../../src/storage/s3/client.ts'
import { type S3Store, s3Store } from '../../../src/storage/s3/s3-store.ts'
import { type FaultProxy, faultProxy } from './fault-proxy.ts'
import { testBucket } from './s3.ts'

/** The origin of these tests' pages. */
export const appUrl = 'http://share.example.org'

interface Test {
  teardown(work: () => Promise<unknown>): void
}

interface GuardedBucket {
  store: S3Store
  /** Its public address. */
  proxy: FaultProxy
  settings: S3Settings
}

/** Intercepts requests with a header that their signature does not cover. */
export const smuggles = (_method: string, url: URL, headers: object) =>
  url.searchParams.has('X-Amz-Signature') && ('x-amz-copy-source' in headers || 'x-amz-acl' in headers)

/**
 * A store in a new bucket for direct browser access. Its public address is a proxy that refuses
 * requests meant for the server only.
 */
export async function guardedBucket(t: Test, changes: Partial<S3Settings> = {}): Promise<GuardedBucket> {
  const bucket = await testBucket(t)
  const proxy = await faultProxy(bucket.endpoint!)
  proxy.trouble = { fault: { status: 403, code: 'AccessDenied' }, meets: smuggles }
  const settings = { ...bucket, publicEndpoint: proxy.url, direct: true, appUrl, ...changes }
  const store = s3Store(settings)
  t.teardown(async () => {
    await store.close()
    await proxy.close()
  })
  return { store, proxy, settings }
}
