import { fileURLToPath } from 'node:url'

/** Where Node keeps compiled code for the next start; a folder that cannot be written is no error. */
export const compileCache = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url))
