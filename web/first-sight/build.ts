import { dirname } from 'node:path'
import type { InlineConfig } from 'vite'
import { firstSightFile } from '../../src/http/site.ts'

/** Which texts `main.ts` needs of a language. */
export const textsOfFirstSight = /^(share\.|auth\.sign(In|Up)Title$|shares\.edit$|error\.zip_failed$|language\.intl$)/

/** Builds what the server shows of a page before the application has come into a folder, as one module with all that it needs. */
export function firstSightInto(folder: string): InlineConfig {
  const output = { entryFileNames: firstSightFile, codeSplitting: false }
  return {
    root: dirname(dirname(import.meta.dirname)),
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    ssr: { noExternal: true },
    build: { ssr: 'web/first-sight/main.ts', outDir: folder, emptyOutDir: false, target: 'node24', rolldownOptions: { output } },
  }
}
