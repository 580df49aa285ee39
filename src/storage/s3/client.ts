import { readFileSync } from 'node:fs'
import { getCACertificates } from 'node:tls'
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import type { S3Env } from '../../env.ts'
import { type AgentPair, agentPair } from './agents.ts'

/**
 * The bucket, and the address of the pages that may use it directly; null if they have no fixed
 * address.
 */
export type S3Settings = S3Env & { appUrl: string | null }

/** One client per kind of call. They differ in their idle timeouts. */
export interface S3Clients {
  bucket: string
  idleTimeout: IdleTimeout
  /** Small requests and responses. */
  control: S3Client
  upload: S3Client
  /** Some stores take minutes to join the parts of a large object, and send nothing meanwhile. */
  complete: S3Client
  /**
   * Its sockets have no timeout, which would fire while our own reader pauses. `ObjectBody` watches
   * the flow instead.
   */
  download: S3Client
  /** Signs URLs for browsers; makes no connections. */
  sign: S3Client
  /** For requests without a client. */
  agents: AgentPair
  /** Lets all clients sign with a time that is `offset` milliseconds ahead of this machine's. */
  setClock(offset: number): void
  destroy(): void
}

/** Milliseconds without a byte after which a connection is closed. */
export interface IdleTimeout {
  control: number
  object: number
  complete: number
}

const IDLE_TIMEOUT: IdleTimeout = { control: 20_000, object: 60_000, complete: 600_000 }
const CONNECT_TIMEOUT = 10_000 // ms, including the wait for a free socket
const SOCKETS = 256
const DOWNLOAD_SOCKETS = 1024 // each download holds one as long as its reader needs

const ignore = () => {}
const silentLog = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore }

/**
 * Creates the clients for one bucket, configured for every known S3 server: without checksums by
 * default (B2, R2 and older Ceph refuse them) and without "Expect: 100-continue" (some servers
 * never respond to it, and then the SDK opens a connection per part).
 *
 * @throws the error of reading the CA file
 */
export function s3Clients(settings: S3Settings, idleTimeout = IDLE_TIMEOUT): S3Clients {
  const ca = settings.caFile === null ? undefined : [...getCACertificates('default'), readFileSync(settings.caFile, 'utf8')]
  const agents = [agentPair(SOCKETS, ca), agentPair(DOWNLOAD_SOCKETS, ca)] as const
  const client = (timeout: number, pair: AgentPair = agents[0], endpoint = settings.endpoint) =>
    new S3Client({ ...clientConfig(settings, endpoint), requestHandler: handler(pair, timeout) })
  const clients = {
    control: client(idleTimeout.control),
    upload: client(idleTimeout.object),
    complete: client(idleTimeout.complete),
    download: client(0, agents[1]),
    sign: client(0, agents[0], settings.publicEndpoint ?? settings.endpoint),
  }
  return {
    bucket: settings.bucket,
    idleTimeout,
    agents: agents[0],
    ...clients,
    setClock(offset) {
      for (const client of Object.values(clients)) client.config.systemClockOffset = offset
    },
    destroy() {
      for (const client of Object.values(clients)) client.destroy()
    },
  }
}

function clientConfig({ region, forcePathStyle, credentials }: S3Settings, endpoint: string | null): S3ClientConfig {
  return {
    region,
    forcePathStyle,
    ...(endpoint && { endpoint }),
    ...(credentials && { credentials }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    maxAttempts: 4,
    retryMode: 'standard',
    logger: silentLog,
  }
}

/** Sets no `requestTimeout`, which would include the time of the upload itself. */
function handler(agents: AgentPair, socketTimeout: number): NodeHttpHandler {
  return new NodeHttpHandler({ connectionTimeout: CONNECT_TIMEOUT, socketTimeout, logger: silentLog, ...agents })
}
