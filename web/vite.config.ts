import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import product from '../package.json' with { type: 'json' }

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  define: { 'import.meta.env.SOURCE_CODE': JSON.stringify((product as { homepage?: string }).homepage ?? '') },
  html: { cspNonce: '__nonce__' }, // replaced at each request
  build: {
    emptyOutDir: true,
    manifest: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'frame', test: /web\/Root\.tsx$/ }] } }, // with all that it imports: one file, which every page needs
      onLog(level, log, report) {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log) // antd's "use client"
      },
    },
  },
})
