import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../listening.ts'
import { startProgram, temporaryFolder, unlessRuns } from '../server-program.ts'
import { nginx } from './proxies.ts'

const documentation = join(import.meta.dirname, '../../../docs/sendfile.md')
const isRoot = process.getuid?.() === 0

interface Test {
  teardown(work: () => Promise<unknown>): void
}

/** The server behind the proxy: its port, and the folder of its files. */
interface Origin {
  port: number
  objects: string
}

/** A proxy that sends files itself, run as the documentation says. */
interface SendfileProxy {
  name: string
  sendfile: 'x-accel' | 'x-sendfile'
  /** Why it can't run here; undefined if it can. */
  missing: string | undefined
  /** Starts it until the end of the test. Returns its port. */
  start(t: Test, origin: Origin): Promise<number>
}

export const sendfileProxies: SendfileProxy[] = [
  {
    name: 'nginx',
    sendfile: 'x-accel',
    missing: nginx.missing,
    async start(t, origin) {
      const location = await documented('nginx', origin)
      return portOf(await nginx.start(t, { port: origin.port, edit: (block) => block + location }))
    },
  },
  {
    name: 'Apache',
    sendfile: 'x-sendfile',
    missing: unlessRuns('apache2', '-v') ?? unlessRuns('test', '/usr/lib/apache2/modules/mod_xsendfile.so'),
    async start(t, origin) {
      const [folder, port, block] = await Promise.all([temporaryFolder(t, 'apache'), freePort(), documented('apache', origin)])
      const modules = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'xsendfile']
      const lines = [
        ...[
          `ServerRoot ${folder}`,
          'ServerName localhost',
          `PidFile ${folder}/pid`,
          `ErrorLog ${folder}/error.log`,
          `DefaultRuntimeDir ${folder}`,
        ],
        ...[`Listen 127.0.0.1:${port}`, ...modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)],
        ...(isRoot ? ['User www-data', 'Group root'] : []),
      ]
      await writeFile(join(folder, 'apache.conf'), `${lines.join('\n')}\n${block}`)
      return portOf(await startProgram(t, port, 'apache2', ['-D', 'FOREGROUND', '-f', join(folder, 'apache.conf')]))
    },
  },
  {
    name: 'Lighttpd',
    sendfile: 'x-sendfile',
    missing: unlessRuns('lighttpd', '-v'),
    async start(t, origin) {
      const [folder, port, block] = await Promise.all([temporaryFolder(t, 'lighttpd'), freePort(), documented('lighttpd', origin)])
      const config = `server.document-root = "${folder}"\nserver.bind = "127.0.0.1"\nserver.port = ${port}\n${block}`
      await writeFile(join(folder, 'lighttpd.conf'), config)
      return portOf(await startProgram(t, port, 'lighttpd', ['-D', '-f', join(folder, 'lighttpd.conf')]))
    },
  },
]

/** Lets a proxy that runs as another user enter the folders of a server's files. */
export async function openToProxies(dataDir: string): Promise<void> {
  await chmod(dataDir, 0o711)
}

async function documented(language: string, { port, objects }: Origin): Promise<string> {
  const [, block = ''] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(await readFile(documentation, 'utf8')) ?? []
  return block
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
    .replace('"port" => 3000', `"port" => ${port}`)
    .replaceAll('/var/lib/razorbill/objects', objects)
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}
