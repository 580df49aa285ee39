import { chmod } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { InlineConfig } from 'vite'
import product from '../package.json' with { type: 'json' }

/**
 * Builds the command into a folder as one file, `razorbill.js`, that needs only Node. Of
 * package.json it contains only the version.
 */
export function commandInto(folder: string): InlineConfig {
  const output = { entryFileNames: 'razorbill.js', codeSplitting: false }
  const load = (id: string) => (id.endsWith('/package.json') ? JSON.stringify({ version: product.version }) : null)
  return {
    root: dirname(import.meta.dirname),
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [
      { name: 'only-version', enforce: 'pre', load },
      { name: 'executable', writeBundle: () => chmod(join(folder, 'razorbill.js'), 0o755) }, // `npx razorbill` needs this
    ],
    ssr: { noExternal: true },
    build: { ssr: 'cli/main.ts', outDir: folder, emptyOutDir: false, target: 'node20.19', rolldownOptions: { output } },
  }
}
