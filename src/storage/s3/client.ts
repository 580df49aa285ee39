import { readFileSync } from 'node:fs'
import { getCACertificates } from 'node:tls'
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import type { S3Env } from '../../env.ts'
import { type AgentPair, agentPair } from './agents.ts'

/** Where the bucket is, and from which pages browsers may be let at it: null where these have no fixed address. */
export type S3Settings = S3Env & { appUrl: string | null }

/** One client for each kind of call: they differ in how long a silent connection is waited for. */
export interface S3Clients {
  bucket: string
  silence: IdleTimeout
  /** Small questions and answers. */
  control: S3Client
  upload: S3Client
  /** Joining the parts of a large object takes some stores minutes, without a byte meanwhile. */
  complete: S3Client
  /** Its sockets have no time-out: one would strike when our own reader pauses. Whoever reads watches the flow, see `ObjectBody`. */
  download: S3Client
  /** Signs addresses for browsers; never connects. */
  sign: S3Client
  /** For requests that no client makes. */
  agents: AgentPair
  destroy(): void
}

/** Milliseconds without a byte after which a connection is given up. */
export interface IdleTimeout {
  control: number
  object: number
  complete: number
}

const SILENCE: IdleTimeout = { control: 20_000, object: 60_000, complete: 600_000 }
const CONNECT = 10_000 // also counts the wait for a free socket
const SOCKETS = 256
const DOWNLOAD_SOCKETS = 1024 // each download holds one for as long as its reader takes

const nothing = () => {}
const silent = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing }

/**
 * The clients for one bucket, set so that every known S3 server understands them: no checksums by default (B2, R2 and older Ceph refuse them), no
 * "Expect: 100-continue" (some never answer it, and the SDK then opens a connection for each part). Throws when the CA file cannot be read.
 */
export function s3Clients(settings: S3Settings, silence = SILENCE): S3Clients {
  const ca = settings.caFile === null ? undefined : [...getCACertificates('default'), readFileSync(settings.caFile, 'utf8')]
  const agents = [agentPair(SOCKETS, ca), agentPair(DOWNLOAD_SOCKETS, ca)] as const
  const client = (timeout: number, pair: AgentPair = agents[0], endpoint = settings.endpoint) =>
    new S3Client({ ...clientConfig(settings, endpoint), requestHandler: handler(pair, timeout) })
  const clients = {
    control: client(silence.control),
    upload: client(silence.object),
    complete: client(silence.complete),
    download: client(0, agents[1]),
    sign: client(0, agents[0], settings.publicEndpoint ?? settings.endpoint),
  }
  return {
    bucket: settings.bucket,
    silence,
    agents: agents[0],
    ...clients,
    destroy() {
      for (const each of Object.values(clients)) each.destroy()
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
    logger: silent,
  }
}

/** No `requestTimeout`: it would count the time of the upload itself. */
function handler(agents: AgentPair, socketTimeout: number): NodeHttpHandler {
  return new NodeHttpHandler({ connectionTimeout: CONNECT, socketTimeout, logger: silent, ...agents })
}
