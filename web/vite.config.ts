import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'
import product from '../package.json' with { type: 'json' }
import { antdStyles } from './antd-styles.ts'
import { makeAntdTokens } from './antd-theme.ts'

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
      output: {
        codeSplitting: {
          // Each with all that it imports: three files, which every page needs. The last has small things that most pages need, too;
          // passkeys bring a library of their own
          groups: [
            { name: 'main', test: /web\/main\.ts$/, priority: 2 },
            { name: 'react', test: /\/node_modules\/react-dom\//, priority: 1 },
            { name: 'application', test: /web\/(show\.tsx|(?!passkeys)[a-z-]+\.ts)$|\/@tanstack\/(react-query|query-core)\// },
          ],
        },
      },
      onLog(level, log, report) {
        const isKnown = log.code === 'INEFFECTIVE_DYNAMIC_IMPORT' && log.message.includes('antd/es/locale/en_US.js') // antd falls back to it
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE' && !isKnown) report(level, log) // antd's "use client"
      },
    },
  },
})

/** How antd names the styles of a component. */
const naming = new Set(['genStyleHooks', 'genComponentStyleHook', 'genSubStyleComponent'])

/** Fills antd.css and antd-tokens.ts, and takes out of antd what would make the styles. */
function stylesOfAntd(): Plugin {
  const styles = join(import.meta.dirname, 'antd.css')
  const tokens = join(import.meta.dirname, 'antd-tokens.ts')
  return {
    name: 'styles-of-antd',
    enforce: 'pre',
    load(id) {
      if (id === tokens) return `export const antdTokens = ${JSON.stringify(makeAntdTokens())}`
      return id === styles ? antdStyles() : null
    },
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

/**
 * The frame in the HTML is painted before the application begins, which keeps a phone busy for a while: that is loaded at once, but after what the frame
 * needs, and begun by the page's last script. The frame has no component of antd, so antd's styles are later ones too; they stand before our own.
 */
function frameFirst(): Plugin {
  return {
    name: 'frame-first',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        const main = chunks.find(({ name }) => name === 'main')
        const application = chunks.find(({ name }) => name === 'application')
        const [styles] = application?.viteMetadata?.importedCss ?? []
        const begins = /<script type="module"[^>]*><\/script>|<link rel="modulepreload"[^>]*>/g
        if (!main || !application || !styles || !begins.test(html)) throw new Error('Vite has changed how it begins a page.')
        const scripts = new Set<string>()
        const withImports = ({ fileName, imports }: Rolldown.OutputChunk) => {
          scripts.add(fileName)
          for (const chunk of chunks) if (imports.includes(chunk.fileName)) withImports(chunk)
        }
        withImports(main)
        withImports(application)
        const preload = (more: string, file: string) => `<link ${more} fetchpriority="low" crossorigin href="/${file}">`
        const later = [
          preload('rel="preload" as="style" id="later-styles"', styles),
          ...[...scripts].map((file) => preload('rel="modulepreload"', file)),
        ]
        return html
          .replace(begins, '')
          .replace('data-main', `data-main="/${main.fileName}"`)
          .replace(/(?=<link rel="stylesheet")/, later.join(''))
      },
    },
  }
}
