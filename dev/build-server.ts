import { dirname, join, relative } from 'node:path'
import { buildIfChanged } from './build-if-changed.ts'

/**
 * Bundles the server, with its worker, into `dist/server`, for `npm start` and the images. It needs
 * less memory than the sources, because Node.js removes types with a WebAssembly program, and starts
 * sooner. Some packages, and files that are read by their path, stay where they are.
 */
const root = dirname(import.meta.dirname)
const target = join(root, 'dist/server')
const sources = ['src/**/*.ts', 'worker/**/*.ts', 'dev/build-*.ts', 'package-lock.json']

/** Packages with compiled programs, and those that only some installations load. */
const externalPackages = [
  '@node-rs/argon2',
  '@node-rs/crc32',
  'pg-native',
  'msgpackr-extract',
  '@aws-sdk/client-s3',
  '@aws-sdk/lib-storage',
  '@aws-sdk/s3-request-presigner',
  '@smithy/node-http-handler',
]

if (await buildIfChanged(target, sources, build)) console.log('The server is built.')

async function build(folder: string): Promise<void> {
  const { build } = await import('vite')
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    ssr: { noExternal: true, external: externalPackages },
    plugins: [{ name: 'paths of sources', transform: withSourcePaths }],
    build: {
      ssr: 'src/server.ts',
      outDir: folder,
      target: 'node24',
      sourcemap: true,
      rolldownOptions: { output: { entryFileNames: 'server.js', chunkFileNames: '[name].js', charset: 'ascii', comments: false } },
    },
  })
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
