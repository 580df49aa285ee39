import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import product from '../package.json' with { type: 'json' }
import { antdStyles } from './antd-styles.ts'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), stylesOfAntd(), nonceForAntd()],
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
        const isKnown = log.code === 'INEFFECTIVE_DYNAMIC_IMPORT' && log.message.includes('antd/es/locale/en_US.js') // antd falls back to it
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE' && !isKnown) report(level, log) // antd's "use client"
      },
    },
  },
})

/** Fills antd.css. */
function stylesOfAntd(): Plugin {
  const file = join(import.meta.dirname, 'antd.css')
  return { name: 'styles-of-antd', enforce: 'pre', load: (id) => (id === file ? antdStyles() : null) }
}

/** antd's lock of the page behind a dialog writes a style element without the nonce that its other styles carry, and the browser refuses it. */
function nonceForAntd(): Plugin {
  return {
    name: 'nonce-for-antd',
    transform(code, id) {
      if (!id.endsWith('@rc-component/util/es/Dom/dynamicCSS.js')) return
      const place = /\bcsp,/
      if (!place.test(code)) this.error('antd has changed how it writes styles; see whether it still needs this.')
      const nonce = "const pageCsp = { nonce: document.querySelector('meta[property=csp-nonce]')?.nonce };"
      return `${nonce}\n${code.replace(place, 'csp = pageCsp,')}`
    },
  }
}
