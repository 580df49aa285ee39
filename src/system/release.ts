import { createRequire } from 'node:module'
import type { Context } from '../context.ts'
import type { Release } from './contract.ts'

const { version, repository } = createRequire(import.meta.url)('../../package.json') as {
  version: string
  repository?: string | { url: string }
}
const REQUEST_TIMEOUT = 3_000 // ms
const CHECK_INTERVAL = 6 * 3_600_000 // ms
/**
 * Milliseconds after a failure, so that a server without internet access rarely waits for a check.
 */
const RETRY_INTERVAL = 900_000

interface PublishedRelease {
  version: string
  url: string | null
}

/**
 * Returns a function that reports the newest release. It checks on request, at most every six
 * hours, and takes at most 3 s.
 */
export function releaseWatch({ env, log, now }: Pick<Context, 'env' | 'log' | 'now'>): (checks: boolean) => Promise<Release> {
  const address = env.releasesUrl ?? releasesUrlOf(repository)
  let newest: PublishedRelease | null = null
  let nextCheckAt = 0
  let checking: Promise<void> | null = null

  async function check(url: string): Promise<void> {
    try {
      newest = await fetchLatest(url)
      nextCheckAt = now().getTime() + CHECK_INTERVAL
    } catch (err) {
      log.info({ err }, 'release check failed')
      nextCheckAt = now().getTime() + RETRY_INTERVAL
    }
    checking = null
  }

  return async (checks) => {
    if (!checks || !address) return { version, newest: null, isNewer: false, url: null, checks: false }
    if (now().getTime() >= nextCheckAt) checking ??= check(address)
    await checking
    const isNewer = newest !== null && isLater(newest.version, version)
    return { version, newest: newest?.version ?? null, isNewer, url: newest?.url ?? null, checks: true }
  }
}

/** Returns the URL of GitHub's latest-release call for the repository in package.json. */
function releasesUrlOf(field: typeof repository): string | null {
  const url = typeof field === 'string' ? field : field?.url
  const [, name] = /github\.com[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(url ?? '') ?? []
  return name ? `https://api.github.com/repos/${name}/releases/latest` : null
}

async function fetchLatest(address: string): Promise<PublishedRelease> {
  const response = await fetch(address, {
    headers: { accept: 'application/json', 'user-agent': `razorbill/${version}` },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT),
  })
  if (!response.ok) throw new Error(`${address} returned ${response.status}`)
  const { tag_name: tag, html_url: url } = (await response.json()) as { tag_name?: unknown; html_url?: unknown }
  const [, latest] = /^v?(\d+\.\d+\.\d+)$/.exec(String(tag)) ?? []
  if (!latest) throw new Error(`${address} returned no release version`)
  return { version: latest, url: typeof url === 'string' && /^https?:\/\//.test(url) ? url : null }
}

/** Compares two versions (semver.org) and ignores pre-release labels. */
function isLater(version: string, reference: string): boolean {
  const [left, right] = [numbersOf(version), numbersOf(reference)]
  const index = left.findIndex((number, position) => number !== right[position])
  return index >= 0 && (left[index] ?? 0) > (right[index] ?? 0)
}

function numbersOf(version: string): number[] {
  return version.replace(/-.*/, '').split('.').map(Number)
}
