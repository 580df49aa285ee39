import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

/**
 * Runs in each test process before tap's own preload. Stops tap from recording every loaded module
 * and every child process, which only its `--changed` option reads and which takes half as long as
 * loading them.
 */
process.env._TAPJS_PROCESSINFO_EXCLUDE_ = '/./'
delete process.env.NODE_OPTIONS // child processes need no preload

// Most of a small test's time is loading modules, which compiled code halves.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../../node_modules/.cache/compiled')
enableCompileCache(process.env.NODE_COMPILE_CACHE)
