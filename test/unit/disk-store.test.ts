import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { diskStore } from '../../src/storage/disk.ts'
import { objectStoreSuite } from '../support/object-store-suite.ts'

const dir = await mkdtemp(join(tmpdir(), 'razorbill-disk-'))
t.teardown(() => rm(dir, { recursive: true }))

t.test('keeps the contract of an object store', async (t) => objectStoreSuite(t, () => diskStore({ dir })))
