import { dirname } from 'node:path'
import react from '@vitejs/plugin-react'
import type { InlineConfig } from 'vite'

/** Builds what renders the share page on the server into a folder, with everything that it needs. Browsers are not served `.mjs`. */
export function sharePageInto(folder: string): InlineConfig {
  const output = { entryFileNames: 'server/share-page.mjs', chunkFileNames: 'server/[name]-[hash].mjs' }
  return {
    root: dirname(import.meta.dirname),
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [react()],
    define: { 'process.env.NODE_ENV': '"production"' },
    ssr: { noExternal: true, external: ['antd'] }, // dialogs have it, which are not shown there
    build: { ssr: 'server/share-page.tsx', outDir: folder, emptyOutDir: false, target: 'node24', rolldownOptions: { output } },
  }
}
