import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { type FixedSettings, readFixedSettings } from './config/environment.ts'
import { unknownVariables, withoutServiceVariables } from './config/variables.ts'
import { databaseUrlProblem, withoutTlsWarning } from './db/url.ts'

/**
 * Settings of the deployment, read once at start. Administrators' settings are in the database
 * (`config/`).
 */
export interface Env {
  port: number
  host: string
  /**
   * Without a trailing slash, maybe with a path below which the site is served; null: derived from
   * each request.
   */
  appUrl: string | null
  dataDir: string
  /** null: the embedded PostgreSQL. */
  databaseUrl: string | null
  /** PostgreSQL itself, where DATABASE_URL leads to a pooler; null: the same. */
  databaseDirectUrl: string | null
  /** Maximum connections of the server and its worker together, or of a separate worker. */
  databasePool: number
  /** null: BullMQ on PostgreSQL. */
  redisUrl: string | null
  /** null: `dataDir/objects` on local disk. */
  s3: S3Env | null
  /** null: created once and stored in `dataDir`. */
  secretKey: string | null
  trustProxy: string[]
  /** The header by which a trusted proxy gets a file's path and sends its bytes. */
  sendfile: 'off' | 'x-accel' | 'x-sendfile'
  /** Maximum open connections of one address; 0: unlimited, as behind TRUST_PROXY. */
  connectionsPerAddress: number
  logLevel: string
  admin: { username: string; email: string; password: string } | null
  worker: 'inline' | 'process' | 'off'
  /** Seconds for running requests to finish when the server stops. */
  drainSeconds: number
  /** Settings that the deployment fixes, so that administrators can't change them. */
  settings: FixedSettings
  /**
   * URL of the release check, with JSON as from GitHub's latest-release call; null: the default.
   */
  releasesUrl: string | null
  /** A separate port for metrics; null: none. */
  metricsPort: number | null
  /** The token for metrics, which the API's port then serves as well; null: none is required. */
  metricsToken: string | null
  /** One sentence for each variable that has no effect. */
  warnings: string[]
}

export interface S3Env {
  /** null: AWS. */
  endpoint: string | null
  publicEndpoint: string | null
  region: string
  bucket: string
  /** null: the AWS default chain (roles, instance metadata). */
  credentials: { accessKeyId: string; secretAccessKey: string } | null
  forcePathStyle: boolean
  /** A file with additional trusted certificates (PEM). */
  caFile: string | null
  /** Whether browsers may upload directly to the bucket. */
  direct: boolean
}

/** The environment variables are not valid. `problems` has one sentence for each problem. */
export class EnvError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`Razorbill cannot start:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/**
 * Parses the environment variables. An empty variable counts as unset.
 * @throws {EnvError} at least one variable is not valid
 */
export function readEnv(allVariables: Record<string, string | undefined>): Env {
  const problems: string[] = []
  const warnings: string[] = []
  const variables = withoutServiceVariables(allVariables, warnings)
  warnings.push(...unknownVariables(variables))
  const text = (name: string) => variables[name]?.trim() || null
  const oneOf = <T extends string>(name: string, allowed: readonly T[], fallback: T): T => {
    const value = text(name)
    if (value === null) return fallback
    if ((allowed as readonly string[]).includes(value)) return value as T
    problems.push(`${name} is "${value}"; it must be one of ${allowed.join(', ')}.`)
    return fallback
  }
  const url = (name: string, protocols: string[]) => {
    const value = text(name)
    if (value === null) return null
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value.replace(/(?<!\/)\/+$/, '')
    problems.push(`${name} must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}.`)
    return null
  }
  /** Returns the values of a group, of which all or none must be set; null: none. */
  const group = <T extends Record<string, string>>(names: T): { [K in keyof T]: string } | null => {
    const values = Object.entries(names).map(([key, name]) => ({ key, name, value: text(name) }))
    const missing = values.filter(({ value }) => value === null).map(({ name }) => name)
    const present = values.filter(({ value }) => value !== null).map(({ name }) => name)
    if (missing.length > 0 && present.length > 0)
      problems.push(`${missing.join(' and ')} must be set together with ${present.join(' and ')}.`)
    return missing.length > 0 ? null : (Object.fromEntries(values.map(({ key, value }) => [key, value])) as { [K in keyof T]: string })
  }

  const port = Number(text('PORT') ?? 3000)
  if (!isPort(port)) problems.push('PORT must be a whole number from 0 to 65535.')
  const metricsPort = text('METRICS_PORT') === null ? null : Number(text('METRICS_PORT'))
  if (metricsPort !== null && !isPort(metricsPort)) problems.push('METRICS_PORT must be a whole number from 0 to 65535.')
  if (metricsPort === port && port !== 0) problems.push('METRICS_PORT must be another port than PORT.')
  const metricsToken = text('METRICS_TOKEN')
  if (metricsToken && !/^[\w.~+/=-]{16,}$/.test(metricsToken))
    problems.push('METRICS_TOKEN must have at least 16 letters, digits or . _ ~ + / = -. Create one with: openssl rand -hex 32')
  const drainSeconds = Number(text('DRAIN_SECONDS') ?? 25)
  if (!Number.isInteger(drainSeconds) || drainSeconds < 0 || drainSeconds > 86_400)
    problems.push('DRAIN_SECONDS must be a whole number from 0 to 86400.')
  const database = (name: string) => {
    const value = text(name)
    const problem = value && databaseUrlProblem(name, value)
    if (problem) problems.push(problem)
    return value && withoutTlsWarning(value)
  }
  const databaseUrl = database('DATABASE_URL')
  const databaseDirectUrl = database('DATABASE_DIRECT_URL')
  if (databaseDirectUrl && !databaseUrl) problems.push('DATABASE_URL must be set together with DATABASE_DIRECT_URL.')
  const databasePool = Number(text('DATABASE_POOL') ?? 18)
  if (!Number.isInteger(databasePool) || databasePool < 5 || databasePool > 1_000)
    problems.push('DATABASE_POOL must be a whole number from 5 to 1000.')
  const secretKey = text('SECRET_KEY')
  if (databaseUrl && !secretKey) problems.push('SECRET_KEY must be set when DATABASE_URL is set. Create one with: openssl rand -base64 32')
  if (secretKey && secretKey.length < 32)
    problems.push('SECRET_KEY must have at least 32 characters. Create one with: openssl rand -base64 32')
  const trustProxy = (text('TRUST_PROXY') ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  for (const range of trustProxy) {
    if (!isRange(range)) problems.push(`TRUST_PROXY contains "${range}", which is neither an address nor a CIDR such as 10.0.0.0/8.`)
  }
  const sendfile = oneOf('SENDFILE', ['off', 'x-accel', 'x-sendfile'], 'off')
  if (sendfile !== 'off' && trustProxy.length === 0) problems.push('TRUST_PROXY must be set together with SENDFILE.')
  if (sendfile !== 'off' && text('S3_BUCKET')) warnings.push('SENDFILE has no effect with S3_BUCKET, because files are not on this disk.')
  const connections = Number(text('MAX_CONNECTIONS_PER_ADDRESS') ?? 256)
  if (!Number.isInteger(connections) || connections < 0 || connections > 1_000_000)
    problems.push('MAX_CONNECTIONS_PER_ADDRESS must be a whole number from 0 (no limit) to 1000000.')
  const account = group({ username: 'ADMIN_USERNAME', email: 'ADMIN_EMAIL', password: 'ADMIN_PASSWORD' })
  const admin = account && { ...account, password: variables.ADMIN_PASSWORD ?? account.password } // spaces count
  const appUrl = url('APP_URL', ['http:', 'https:'])
  const pathProblem = appUrl && basePathProblem(new URL(appUrl).pathname)
  if (pathProblem) problems.push(pathProblem)
  const settings = readFixedSettings(variables, problems)
  const urlSetting = settings['general.appUrl']
  if (appUrl && urlSetting && urlSetting !== appUrl)
    problems.push('APP_URL and RAZORBILL_GENERAL_APP_URL have the same meaning; set only one.')
  if (settings['smtp.enabled'] && !appUrl && !urlSetting) problems.push('APP_URL must be set together with RAZORBILL_SMTP_ENABLED.')
  const s3 = readS3()

  function readS3(): S3Env | null {
    const names = Object.keys(variables).filter((name) => name.startsWith('S3_') && text(name) !== null)
    const bucket = text('S3_BUCKET')
    if (!bucket) {
      if (names.length > 0) problems.push(`S3_BUCKET must be set together with ${names.join(', ')}.`)
      return null
    }
    const endpoint = url('S3_ENDPOINT', ['http:', 'https:'])
    return {
      endpoint,
      publicEndpoint: url('S3_PUBLIC_ENDPOINT', ['http:', 'https:']),
      region: text('S3_REGION') ?? 'us-east-1',
      bucket,
      credentials: group({ accessKeyId: 'S3_ACCESS_KEY_ID', secretAccessKey: 'S3_SECRET_ACCESS_KEY' }),
      forcePathStyle: oneOf('S3_FORCE_PATH_STYLE', ['true', 'false'], endpoint ? 'true' : 'false') === 'true',
      caFile: text('S3_CA_FILE'),
      direct: oneOf('S3_DIRECT', ['true', 'false'], 'false') === 'true',
    }
  }

  const env: Env = {
    port,
    host: text('HOST') ?? '0.0.0.0',
    appUrl,
    dataDir: resolve(text('DATA_DIR') ?? 'data'),
    databaseUrl,
    databaseDirectUrl,
    databasePool,
    redisUrl: url('REDIS_URL', ['redis:', 'rediss:']),
    s3,
    secretKey,
    trustProxy,
    sendfile,
    connectionsPerAddress: trustProxy.length > 0 ? 0 : connections, // all connections come from the proxy
    logLevel: oneOf('LOG_LEVEL', levels, 'info'),
    admin,
    worker: oneOf('WORKER', ['inline', 'process', 'off'], 'inline'),
    drainSeconds,
    settings,
    releasesUrl: url('RELEASES_URL', ['http:', 'https:']),
    metricsPort,
    metricsToken,
    warnings,
  }
  if (problems.length > 0) throw new EnvError(problems)
  return env
}

/** Addresses of pages and files, and paths of proxies that check the server. */
const reservedPaths = [
  ...['account', 'admin', 'api', 'assets', 'auth', 'error', 'favicon.svg', 'icons', 'manifest.webmanifest', 'metrics'],
  ...['preview.png', 's', 'service-worker.js', 'share', 'upload'],
]

/** Returns what is wrong with the path of APP_URL; null if nothing is. */
function basePathProblem(path: string): string | null {
  if (!/^(\/|(\/[\w.~-]+)+)$/.test(path)) return 'APP_URL must have a path of letters, digits and - . _ ~ only, or none.'
  const first = path.split('/')[1] ?? ''
  return reservedPaths.includes(first)
    ? `APP_URL must not have a path that starts with /${first}, because Razorbill uses that itself.`
    : null
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 0 && port <= 65535
}

function isRange(range: string): boolean {
  const [address = '', bits, ...rest] = range.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}
