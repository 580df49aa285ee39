import { basename, dirname, join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'
import { antdStyles, shared, sheetOf } from './antd-styles.ts'
import { antdTokensOfStyles } from './antd-theme.ts'
import { splitTexts } from './split-texts.ts'

export default defineConfig({
  root: dirname(import.meta.dirname),
  plugins: [react(), splitTexts(), themeOfAntd(), stylesOfAntd(), nonceForAntd(), withoutUniqueTooltips(), shellFirst()],
  optimizeDeps: { rolldownOptions: { plugins: [nonceForAntd()] } }, // in development antd is bundled before the plugins above see it
  html: { cspNonce: '__nonce__' }, // replaced at each request
  // Files find each other below any path. The server adds that path to the addresses in the page.
  experimental: { renderBuiltUrl: (_file, { hostType }) => (hostType === 'html' ? undefined : { relative: true }) },
  build: {
    emptyOutDir: true,
    manifest: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Four files that every page needs, each with its imports. The last also has small
          // modules that most pages need;
          // passkeys are left out because they need a library of their own
          groups: [
            { name: 'main', test: /web\/main\.ts$/, priority: 3 },
            { name: 'react', test: /\/node_modules\/react-dom\//, priority: 2 },
            { name: 'antd', test: /\/antd\/es\/(config-provider|notification)\/index\.js$/, priority: 1 },
            {
              name: 'application',
              test: /web\/(lib\/show\.tsx|(lib\/)?(?!passkeys)[a-z0-9-]+\.ts)$|\/@tanstack\/(react-query|query-core)\//,
            },
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

/** The functions with which antd names the styles of a component. */
const naming = new Set(['genStyleHooks', 'genComponentStyleHook', 'genSubStyleComponent'])

const sheets = antdStyles()
const importOf = (name: string) => `import ${JSON.stringify(join(import.meta.dirname, `antd-styles/${name}.css`))};`

/**
 * Fills antd-tokens.ts and provides the style sheets of antd's components. In development every
 * page loads all of them.
 */
function themeOfAntd(): Plugin {
  const tokens = join(import.meta.dirname, 'antd-tokens.ts')
  let imports = ''
  return {
    name: 'theme-of-antd',
    enforce: 'pre',
    configResolved({ command }) {
      if (command === 'serve') imports = [...sheets.keys()].map(importOf).join('')
    },
    resolveId(id) {
      return /\/build\/antd-styles\/\w+\.css$/.test(id) ? join(import.meta.dirname, 'antd-styles', basename(id)) : null
    },
    load(id) {
      if (id === tokens) return `${imports}export const antdTokens = ${JSON.stringify(antdTokensOfStyles())}`
      return dirname(id) === join(import.meta.dirname, 'antd-styles') ? sheets.get(basename(id, '.css')) : null
    },
  }
}

/**
 * Imports the style sheets of antd's components in place of the code that would create them in the
 * browser.
 */
function stylesOfAntd(): Plugin {
  return {
    name: 'styles-of-antd',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/antd\/es\/.+\/style(\/.+)?\.js$/ },
      handler(code) {
        const calls = this.parse(code).body.flatMap(callsIn)
        const names = calls.map(({ arguments: [name] }) => sheetOf(componentIn(code.slice(name!.start, name!.end))))
        const imports = [...new Set([shared, ...names])].filter((name) => sheets.has(name)).map(importOf)
        const styles = calls.map(({ arguments: [, generator] }) => generator!)
        return imports.join('') + styles.reduceRight((rest, { start, end }) => `${rest.slice(0, start)}null${rest.slice(end)}`, code)
      },
    },
  }
}

/** Returns `Button` for `'Button'` and for `['Button', 'compact']`. */
function componentIn(code: string): string {
  return /\w+/.exec(code)![0]
}

type Statement = ReturnType<Rolldown.PluginContext['parse']>['body'][number]

/**
 * Returns the calls that name a component's styles in a module of antd. Their second argument
 * generates the styles.
 */
function callsIn(statement: Statement) {
  const declared = 'declaration' in statement ? statement.declaration : statement
  const values = declared?.type === 'VariableDeclaration' ? declared.declarations.map(({ init }) => init) : [declared]
  return values
    .filter((value) => value?.type === 'CallExpression')
    .filter(({ callee }) => callee.type === 'Identifier' && naming.has(callee.name))
}

/**
 * Adds the nonce to the style element with which antd locks the page behind a dialog. The browser
 * refuses it otherwise.
 */
function nonceForAntd(): Plugin {
  return {
    name: 'nonce-for-antd',
    transform(code, id) {
      if (!id.endsWith('@rc-component/util/es/Dom/dynamicCSS.js')) return
      const place = /\bcsp,/
      if (!place.test(code)) this.error('antd has changed how it writes styles; check whether this plugin is still needed.')
      const nonce = "const pageCsp = { nonce: document.querySelector('meta[property=csp-nonce]')?.nonce };"
      return `${nonce}\n${code.replace(place, 'csp = pageCsp,')}`
    },
  }
}

/**
 * Leaves out the provider of antd's option `tooltip.unique`, which no page sets. Otherwise every
 * page would load what places popups.
 */
function withoutUniqueTooltips(): Plugin {
  return {
    name: 'without-unique-tooltips',
    apply: 'build',
    enforce: 'pre',
    load: {
      filter: { id: /\/antd\/es\/tooltip\/UniqueProvider\/index\.js$/ },
      handler: () => 'export default ({ children }) => children',
    },
  }
}

/**
 * Lets the browser paint the shell in the HTML before the application starts, which keeps a phone
 * busy for a while.
 * The application is preloaded with low priority after the shell, and started by the page's last
 * script.
 * The shell has no component of antd, so antd's styles load later too.
 */
function shellFirst(): Plugin {
  return {
    name: 'shell-first',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        const main = chunks.find(({ name }) => name === 'main')
        const application = chunks.find(({ name }) => name === 'application')
        const entryTags = /<script type="module"[^>]*><\/script>|<link rel="modulepreload"[^>]*>/g
        if (!main || !application || !entryTags.test(html)) throw new Error('Vite has changed the tags that start a page.')
        const scripts = new Set<string>()
        const styles = new Set<string>()
        const withImports = ({ name, fileName, imports, viteMetadata }: Rolldown.OutputChunk) => {
          scripts.add(fileName)
          if (name !== 'main') for (const file of viteMetadata?.importedCss ?? []) styles.add(file)
          for (const chunk of chunks) if (imports.includes(chunk.fileName)) withImports(chunk)
        }
        withImports(main)
        withImports(application)
        const preload = (more: string, file: string) => `<link ${more} fetchpriority="low" crossorigin href="/${file}">`
        const later = [
          ...[...styles].map((file) => preload('rel="preload" as="style"', file)),
          ...[...scripts].map((file) => preload('rel="modulepreload"', file)),
        ]
        return html
          .replace(entryTags, '')
          .replace('data-main', `data-main="/${main.fileName}"`)
          .replace('<script data-main', `<script type="importmap">__imports__</script>${later.join('')}__modules__$&`) // the map is first, and long
      },
    },
  }
}
