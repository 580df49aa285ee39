import type { Readable } from 'node:stream'
import { ObjectMissing, type ObjectStore, StoreFull, StoreUnavailable } from '../storage/object-store.ts'
import type { Metrics, StorageReason } from './metrics.ts'

const operations = new Set<string | symbol>([
  'begin',
  'writePart',
  'finish',
  'abort',
  'write',
  'writeWhole',
  'read',
  'readInto',
  'send',
  'listParts',
  'validatorsOf',
  'head',
  'remove',
  'sweepTemporary',
  'room',
  'check',
] satisfies (keyof ObjectStore)[])

/** Wraps a store so that its failures are counted. Failures of clients are not. */
export function watchedStore<Store extends ObjectStore>(store: Store, metrics: Pick<Metrics, 'record'>): Store {
  return new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target)
      if (!operations.has(name) || typeof method !== 'function') return method
      const operation = String(name)
      const recordFailure = (error: unknown) => {
        const reason = reasonOf(error)
        if (reason) metrics.record({ kind: 'storage error', operation, reason })
      }
      return async (...parameters: unknown[]) => {
        try {
          const result = await method.apply(target, parameters)
          if (operation === 'read') (result as Readable).once('error', recordFailure)
          return result
        } catch (error) {
          recordFailure(error)
          throw error
        }
      }
    },
  })
}

function reasonOf(error: unknown): StorageReason | null {
  if (error instanceof StoreUnavailable) return 'unavailable'
  if (error instanceof StoreFull) return 'full'
  return error instanceof ObjectMissing ? 'missing' : null
}
