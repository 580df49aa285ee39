import { dirname, join } from 'node:path'
import { looksUnchanged } from './build-if-changed.ts'

// Runs before `npm start`. The usual case, in which nothing has changed, reads no file's content.
const dist = join(dirname(import.meta.dirname), 'dist')
if (!looksUnchanged(join(dist, 'web'))) await import('../web/build/build.ts')
if (!looksUnchanged(join(dist, 'server'))) await import('./build-server.ts')
