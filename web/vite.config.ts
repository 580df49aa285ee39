import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'
import product from '../package.json' with { type: 'json' }
import { antdStyles } from './antd-styles.ts'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), stylesOfAntd(), nonceForAntd(), frameFirst()],
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

/** How antd names the styles of a component. */
const naming = new Set(['genStyleHooks', 'genComponentStyleHook', 'genSubStyleComponent'])

/** Fills antd.css, and takes out of antd what would make it. */
function stylesOfAntd(): Plugin {
  const file = join(import.meta.dirname, 'antd.css')
  return {
    name: 'styles-of-antd',
    enforce: 'pre',
    load: (id) => (id === file ? antdStyles() : null),
    transform: {
      filter: { id: /\/antd\/es\/.+\/style\/.+\.js$/ },
      handler(code) {
        const makers = this.parse(code)
          .body.flatMap(callsIn)
          .map((call) => call.arguments[1]!)
        return makers.reduceRight((rest, { start, end }) => `${rest.slice(0, start)}null${rest.slice(end)}`, code)
      },
    },
  }
}

type Statement = ReturnType<Rolldown.PluginContext['parse']>['body'][number]

/** The calls by which a module of antd names a component's styles; the second argument is what makes them. */
function callsIn(statement: Statement) {
  const declared = 'declaration' in statement ? statement.declaration : statement
  const values = declared?.type === 'VariableDeclaration' ? declared.declarations.map(({ init }) => init) : [declared]
  return values
    .filter((value) => value?.type === 'CallExpression')
    .filter(({ callee }) => callee.type === 'Identifier' && naming.has(callee.name))
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

/** The frame in the HTML is painted before the application begins, which keeps a phone busy for a while: it is loaded at once, but run by the page's last script. */
function frameFirst(): Plugin {
  return {
    name: 'frame-first',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const [script, main] = /<script type="module"[^>]* src="([^"]+)"[^>]*><\/script>/.exec(html) ?? []
        if (!script || !main) throw new Error('Vite has changed how it begins a page.')
        return html.replace(script, `<link rel="modulepreload" crossorigin href="${main}">`).replace('data-main', `data-main="${main}"`)
      },
    },
  }
}
