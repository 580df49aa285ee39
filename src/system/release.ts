import { createRequire } from 'node:module'
import type { Context } from '../context.ts'
import type { Release } from './contract.ts'

const { version, repository } = createRequire(import.meta.url)('../../package.json') as {
  version: string
  repository?: string | { url: string }
}
const LONGEST_WAIT = 3_000 // ms
const KNOWN_FOR = 6 * 3_600_000 // ms
/** After a failure, in ms: a server without internet asks rarely, and waits for nothing in between. */
const UNKNOWN_FOR = 900_000

interface Newest {
  version: string
  url: string | null
}

/** Knows the newest release: asks for it when somebody wants to know, six hours at most later again, and never makes anybody wait longer than 3 s. */
export function releaseWatch({ env, log, now }: Pick<Context, 'env' | 'log' | 'now'>): (checks: boolean) => Promise<Release> {
  const address = env.releasesUrl ?? addressIn(repository)
  let newest: Newest | null = null
  let askAgainAt = 0
  let asking: Promise<void> | null = null

  async function ask(from: string): Promise<void> {
    try {
      newest = await newestAt(from)
      askAgainAt = now().getTime() + KNOWN_FOR
    } catch (err) {
      log.info({ err }, 'the newest release could not be asked for')
      askAgainAt = now().getTime() + UNKNOWN_FOR
    }
    asking = null
  }

  return async (checks) => {
    if (!checks || !address) return { version, newest: null, isNewer: false, url: null, checks: false }
    if (now().getTime() >= askAgainAt) asking ??= ask(address)
    await asking
    const isNewer = newest !== null && isLater(newest.version, version)
    return { version, newest: newest?.version ?? null, isNewer, url: newest?.url ?? null, checks: true }
  }
}

/** GitHub's latest-release call of the repository that package.json names. */
function addressIn(named: typeof repository): string | null {
  const url = typeof named === 'string' ? named : named?.url
  const [, name] = /github\.com[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(url ?? '') ?? []
  return name ? `https://api.github.com/repos/${name}/releases/latest` : null
}

async function newestAt(address: string): Promise<Newest> {
  const answer = await fetch(address, {
    headers: { accept: 'application/json', 'user-agent': `razorbill/${version}` },
    signal: AbortSignal.timeout(LONGEST_WAIT),
  })
  if (!answer.ok) throw new Error(`${address} answers ${answer.status}`)
  const { tag_name: tag, html_url: url } = (await answer.json()) as { tag_name?: unknown; html_url?: unknown }
  const [, found] = /^v?(\d+\.\d+\.\d+)$/.exec(String(tag)) ?? []
  if (!found) throw new Error(`${address} names no release`)
  return { version: found, url: typeof url === 'string' && /^https?:\/\//.test(url) ? url : null }
}

/** Compares two versions (semver.org) without pre-releases. */
function isLater(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => text.split('-')[0]!.split('.').map(Number))
  for (const index of [0, 1, 2]) {
    if (left![index]! !== right![index]!) return left![index]! > right![index]!
  }
  return false
}
