import { cacheCompiledCode } from './process/compile-cache.ts'

cacheCompiledCode()
await import('./process/start-server.ts') // imported later, so that its code comes from the cache
