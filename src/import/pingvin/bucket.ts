import { bucketOfEnv, type ObjectFinder, openBucket } from '../core/bucket.ts'
import type { PingvinSetting } from './plan-settings.ts'

/** Opens the bucket of `IMPORT_S3_*` or of Pingvin Share's settings; null if neither names one. */
export function bucketOf(settings: PingvinSetting[]): ObjectFinder | null {
  const value = (name: string) => settings.find(({ key }) => key === `s3.${name}`)?.value ?? ''
  const [accessKeyId, secretAccessKey] = [value('key'), value('secret')]
  const fromEnv = bucketOfEnv(process.env)
  if (!fromEnv && !(value('bucketName') && accessKeyId && secretAccessKey)) return null
  const bucket = openBucket(
    fromEnv ?? {
      bucket: value('bucketName'),
      endpoint: value('endpoint') || null,
      region: value('region') || 'us-east-1',
      credentials: { accessKeyId, secretAccessKey },
      forcePathStyle: true,
    },
  )
  const prefixes = prefixesOf(value('bucketPath'))
  return { close: bucket.close, find: (key = '') => bucket.find(...prefixes.map((prefix) => `${prefix}${key}`)) }
}

/**
 * Pingvin Share adds a slash to the folder without changing it; Pingvin Share X 2 normalizes it
 * first.
 */
function prefixesOf(path: string): string[] {
  const normalized = path.replace(/^\/+|\/+$/g, '')
  return [...new Set([normalized && `${normalized}/`, path && `${path}/`])]
}
