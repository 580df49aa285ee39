import { dirname } from 'node:path'
import react from '@vitejs/plugin-react'
import type { InlineConfig } from 'vite'

/**
 * Returns the build of the module that renders the share page on the server. Browsers are never
 * served `.mjs` files.
 */
export function sharePageInto(folder: string): InlineConfig {
  const output = { entryFileNames: 'server/share-page.mjs', chunkFileNames: 'server/[name]-[hash].mjs' }
  return {
    root: dirname(import.meta.dirname),
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [react()],
    define: { 'process.env.NODE_ENV': '"production"' },
    ssr: { noExternal: true, external: ['antd'] }, // only dialogs use it, which the server does not render
    build: { ssr: 'server/share-page.tsx', outDir: folder, emptyOutDir: false, target: 'node24', rolldownOptions: { output } },
  }
}
