import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { digestsOf, fileOf } from '../../test/support/uploads.ts'
import type { Client } from './client.ts'
import type { Installation } from './installations.ts'

const MiB = 1_048_576
/** More shares than this are deleted again, so that the disk does not fill up. */
const MOST = 40

/** What the users of a soak expect to find. */
export interface Expected {
  /** SHA-256 of each file by name, by the id of its completed share. */
  shares: Map<string, Record<string, string>>
  done: Record<'uploads' | 'downloads' | 'zips' | 'edits' | 'deletions' | 'expiries', number>
  faults: string[]
}

const anyOf = <T>(values: readonly T[]) => values[Math.floor(Math.random() * values.length)] as T
const upTo = (bytes: number) => 1 + Math.floor(Math.random() ** 3 * bytes)

/** Returns a few larger files, and sometimes many small ones. */
function files(start: string): ReturnType<typeof fileOf>[] {
  const large = Array.from({ length: 1 + Math.floor(Math.random() * 3) }, (_, n) => fileOf(`${start}/large ${n}.bin`, upTo(20 * MiB)))
  const small = Math.random() < 0.5 ? [] : Array.from({ length: 60 }, (_, n) => fileOf(`${start}/small ${n}.txt`, upTo(20_000)))
  return [...large, ...small]
}

/** Lets users upload, download, edit, delete and let shares expire until `end` aborts. */
export async function work(client: Client, installation: Installation, expected: Expected, end: AbortSignal): Promise<void> {
  const { shares, done, faults } = expected
  let number = 0

  /** Takes a share from the others while one user changes it. */
  async function taken(change: (id: string, digests: Record<string, string>) => Promise<Record<string, string> | null>): Promise<void> {
    const id = anyOf([...shares.keys()])
    if (id === undefined) return void (await sleep(500))
    const digests = shares.get(id) as Record<string, string>
    shares.delete(id)
    const changed = await change(id, digests)
    if (changed) shares.set(id, changed)
  }

  async function upload(): Promise<void> {
    const id = `soak-${++number}-${Date.now()}`
    const chosen = files('one')
    await client.call('POST', '/shares', { id, expiration: 'never' }) // repeated, it is taken
    await client.upload(id, chosen)
    shares.set(id, digestsOf(chosen))
    done.uploads++
  }

  function check(what: string, found: Record<string, string>, digests: Record<string, string>): void {
    if (!isDeepStrictEqual(sorted(found), sorted(digests))) faults.push(`${what}: ${JSON.stringify(difference(found, digests))}`)
  }

  const download = () =>
    taken(async (id, digests) => {
      check(id, await client.digests(id), digests)
      done.downloads++
      return digests
    })

  const zip = () =>
    taken(async (id, digests) => {
      check(`zip of ${id}`, await client.digestsInZip(id), digests)
      done.zips++
      return digests
    })

  const edit = () =>
    taken(async (id, digests) => {
      await client.call('DELETE', `/shares/${id}/complete`) // repeated, it is open already
      const [removed] = await client.files(id)
      if (removed) await client.call('DELETE', `/shares/${id}/files/${removed.id}`)
      const added = files(`edit ${done.edits}`)
      await client.upload(id, added)
      done.edits++
      const { [removed?.name ?? '']: _, ...rest } = digests
      return { ...rest, ...digestsOf(added) }
    })

  async function remove(): Promise<void> {
    if (shares.size < MOST / 2) return void (await sleep(500))
    const kind = Math.random() < 0.5 ? 'deletions' : 'expiries'
    await taken(async (id) => {
      if (kind === 'deletions') await client.call('DELETE', `/shares/${id}`)
      else await installation.query(`update share set expires_at = now() - interval '1 second' where id = '${id}'`)
      return null
    })
    done[kind]++
  }

  /** Repeats one kind of work. */
  async function repeated(step: () => Promise<unknown>): Promise<void> {
    while (!end.aborted) {
      if (step === upload && shares.size > MOST) await sleep(500)
      else await step().catch((error: Error) => faults.push(error.message))
    }
  }
  await Promise.all([upload, upload, download, download, zip, edit, remove].map(repeated))
}

/** Checks every share that is left, byte for byte. */
export async function checkAll(client: Client, { shares, faults }: Expected): Promise<void> {
  for (const [id, digests] of shares) {
    const found = await client.digests(id)
    if (!isDeepStrictEqual(sorted(found), sorted(digests))) faults.push(`${id} at the end: ${JSON.stringify(difference(found, digests))}`)
  }
}

const sorted = (digests: Record<string, string>) => Object.entries(digests).sort(([a], [b]) => (a < b ? -1 : 1))
const difference = (found: Record<string, string>, digests: Record<string, string>) =>
  [...new Set([...Object.keys(found), ...Object.keys(digests)])].filter((name) => found[name] !== digests[name]).slice(0, 5)
