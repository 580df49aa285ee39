import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/**
 * Bundles the server, with its worker, into `dist/server`, for `npm start` and the images. It needs
 * less memory than the sources, because Node.js removes types with a WebAssembly program, and starts
 * sooner. Packages, and files that are read by their path, stay where they are.
 */
const root = dirname(import.meta.dirname)
const target = join(root, 'dist/server')
const hashFile = join(target, 'sources.sha256')
const sources = ['src/**/*.ts', 'worker/**/*.ts', 'dev/build-server.ts', 'package-lock.json']

const hash = hashOfSources()
if (!existsSync(hashFile) || readFileSync(hashFile, 'utf8') !== hash) await build()

function hashOfSources(): string {
  const hash = createHash('sha256')
  for (const file of globSync(sources, { cwd: root }).sort())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0')
  return hash.digest('hex')
}

async function build(): Promise<void> {
  const { build } = await import('vite')
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [{ name: 'paths of sources', transform: withSourcePaths }],
    build: {
      ssr: 'src/server.ts',
      outDir: target,
      target: 'node24',
      sourcemap: true,
      rolldownOptions: { output: { entryFileNames: 'server.js', chunkFileNames: '[name]-[hash].js' } },
    },
  })
  writeFileSync(hashFile, hash)
  console.log('The server is built.')
}

/**
 * Lets a bundled module find the files beside its source: `import.meta` has the paths of the source
 * instead of those of the bundle.
 */
function withSourcePaths(code: string, id: string): { code: string; map: null } | undefined {
  if (!id.startsWith(root) || id.includes('node_modules') || !code.includes('import.meta')) return
  const url = `new URL(${JSON.stringify(relative(target, id))}, import.meta.url)`
  const folder = `process.getBuiltinModule('node:url').fileURLToPath(new URL('.', ${url}))`
  return { code: code.replaceAll('import.meta.url', `${url}.href`).replaceAll('import.meta.dirname', folder), map: null }
}
