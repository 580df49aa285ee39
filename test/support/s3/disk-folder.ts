import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { type DiskStore, diskStore } from '../../../src/storage/disk/disk-store.ts'

/** A disk store in a separate folder, which is deleted when the test ends. */
export async function diskFolder(t: Test): Promise<{ dir: string; store: DiskStore; temporary: () => Promise<string[]> }> {
  const dir = await mkdtemp(join(tmpdir(), 'razorbill-disk-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  return { dir, store: await diskStore({ dir }), temporary: () => readdir(join(dir, 'tmp')) }
}
