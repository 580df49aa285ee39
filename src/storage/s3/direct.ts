import { GetObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { DirectAccess } from '../object-store.ts'
import type { S3Clients, S3Settings } from './client.ts'
import { directProblem } from './self-test.ts'
import { signer } from './sign.ts'

interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

/** Direct use of the bucket by browsers; allowed only while its last test has passed. */
interface DirectMode {
  readonly access: DirectAccess | undefined
  /** Why browsers may not use it; null if they may. */
  readonly reason: string | null
  /** Tests now; returns why browsers may not use it, or null if they may. Never rejects. */
  test(): Promise<string | null>
  /** Tests now, daily, and every minute while the store does not respond. Logs every change. */
  watch(log: Log): void
  stop(): void
}

const TEST_INTERVAL = 86_400_000 // ms
const RETRY_INTERVAL = 60_000 // ms

/** Creates the direct mode of one bucket, turned off until its first test. */
export function directMode(clients: S3Clients, settings: S3Settings): DirectMode {
  let access: DirectAccess | undefined
  let reason: string | null = settings.direct ? 'the first test is still running.' : 'S3_DIRECT is not set to true.'
  let hasResponded = false
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  async function test(): Promise<string | null> {
    const outcome = await problemOf(clients, settings)
    hasResponded = outcome.hasResponded
    access = outcome.problem === null ? outcome.access : undefined
    reason = outcome.problem
    return reason
  }

  async function testAndLog(log: Log, previous?: string | null): Promise<void> {
    const reason = await test()
    if (isStopped) return
    if (reason === null && previous !== null) log.info({}, 'direct transfers to and from S3 turned on')
    if (reason !== null && reason !== previous) log.warn({ reason }, `S3_DIRECT is on, but all transfers use this server: ${reason}`)
    timer = setTimeout(() => testAndLog(log, reason), hasResponded ? TEST_INTERVAL : RETRY_INTERVAL).unref()
  }

  return {
    get access() {
      return access
    },
    get reason() {
      return reason
    },
    test,
    watch(log) {
      testAndLog(log)
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

interface Outcome {
  problem: string | null
  /** False if the store did not respond; then the test is soon repeated. */
  hasResponded: boolean
  access?: DirectAccess
}

async function problemOf(clients: S3Clients, settings: S3Settings): Promise<Outcome> {
  try {
    const access = signer(clients, await publicOrigin(clients))
    return { problem: await directProblem(clients, settings, access), hasResponded: true, access }
  } catch (error) {
    return { problem: `the test failed: ${(error as Error).message}`, hasResponded: false }
  }
}

/**
 * Returns the bucket's origin for browsers. It contains the bucket's name or not, as the client is
 * configured.
 */
async function publicOrigin({ sign, bucket }: S3Clients): Promise<string> {
  return new URL(await getSignedUrl(sign, new GetObjectCommand({ Bucket: bucket, Key: 'any' }))).origin
}
