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

/** Letting browsers at the bucket: only while the last test of it has passed. */
export interface DirectMode {
  readonly access: DirectAccess | undefined
  /** Tests now; answers why not, null when browsers may be let at it. Never rejects. */
  test(): Promise<string | null>
  /** Tests now, daily, and every minute while the store does not answer, and tells the log of every change. */
  watch(log: Log): void
  stop(): void
}

const DAILY = 86_400_000 // ms
const SOON = 60_000

/** Direct mode of one bucket, off until it has been tested. */
export function directMode(clients: S3Clients, settings: S3Settings): DirectMode {
  let access: DirectAccess | undefined
  let answered = false
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  async function test(): Promise<string | null> {
    const outcome = await problemOf(clients, settings)
    answered = outcome.answered
    access = outcome.problem === null ? outcome.access : undefined
    return outcome.problem
  }

  async function testAndTell(log: Log, before?: string | null): Promise<void> {
    const reason = await test()
    if (stopped) return
    if (reason === null && before !== null) log.info({}, 'browsers send and fetch files straight to and from S3')
    if (reason !== null && reason !== before) log.warn({ reason }, `S3_DIRECT is on, but everything goes through this server: ${reason}`)
    timer = setTimeout(() => testAndTell(log, reason), answered ? DAILY : SOON).unref()
  }

  return {
    get access() {
      return access
    },
    test,
    watch(log) {
      testAndTell(log)
    },
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}

interface Outcome {
  problem: string | null
  /** Whether the store answered: if not, it may soon. */
  answered: boolean
  access?: DirectAccess
}

async function problemOf(clients: S3Clients, settings: S3Settings): Promise<Outcome> {
  try {
    const access = signer(clients, await publicOrigin(clients))
    return { problem: await directProblem(clients, settings, access), answered: true, access }
  } catch (error) {
    return { problem: `it cannot be tried out: ${(error as Error).message}`, answered: false }
  }
}

/** Where browsers find the bucket: with the bucket's name in the host name or not, as the client is set. */
async function publicOrigin({ sign, bucket }: S3Clients): Promise<string> {
  return new URL(await getSignedUrl(sign, new GetObjectCommand({ Bucket: bucket, Key: 'any' }))).origin
}
