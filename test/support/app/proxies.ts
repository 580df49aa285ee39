import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../listening.ts'
import { startProgram, temporaryFolder, unlessRuns } from '../server-program.ts'
import { eventually } from './worker.ts'

const documentation = join(import.meta.dirname, '../../../docs/reverse-proxy.md')
const isRoot = process.getuid?.() === 0
const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')

interface Test {
  teardown(work: () => Promise<unknown>): void
}

interface Options {
  /** The port of the server behind the proxy. */
  port: number
  /** Speaks HTTP/2 without TLS to clients instead of HTTP/1.1. */
  http2?: boolean
  /** The port for clients. Default: a free one. */
  listenAt?: number
  /** Changes the documented block. */
  edit?: (block: string) => string
  /** More directives for nginx's `http` block. */
  http?: string
}

/** A proxy server of this machine, run as the documentation says. */
export interface Proxy {
  name: string
  /** Why it can't run here; undefined if it can. */
  missing: string | undefined
  /** Starts it until the end of the test. Returns its URL. */
  start(t: Test, options: Options): Promise<string>
}

export const nginx: Proxy = {
  name: 'nginx',
  missing: unlessRuns('nginx', '-v'),
  async start(t, { port, listenAt: wanted, http2 = false, edit = (block) => block, http = '' }) {
    const { folder, listenAt } = await place(t, wanted)
    const block = edit(await documented('nginx')).replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`)
    const config = `
      daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log; ${isRoot ? 'user root;' : ''}
      events { worker_connections 1024; }
      http {
        access_log off; ${temporary.join(' ')} ${http}
        server { listen 127.0.0.1:${listenAt}${http2 ? ' http2' : ''}; ${block} }
      }`
    await writeFile(join(folder, 'nginx.conf'), config)
    return startProgram(t, listenAt, 'nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')])
  },
}

export const haproxy: Proxy = {
  name: 'haproxy',
  missing: unlessRuns('haproxy', '-v'),
  async start(t, { port, listenAt: wanted, http2 = false, edit = (block) => block }) {
    const { folder, listenAt } = await place(t, wanted)
    const block = edit(await documented('haproxy'))
      .replace(/bind :443.*/, `bind 127.0.0.1:${listenAt}${http2 ? ' proto h2' : ''}`)
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
    await writeFile(join(folder, 'haproxy.cfg'), `${block}\n`)
    return startProgram(t, listenAt, 'haproxy', ['-q', '-db', '-f', join(folder, 'haproxy.cfg')])
  },
}

const caddyProgram = spawnSync('caddy', ['version']).status === 0 ? 'caddy' : join(homedir(), 'go/bin/caddy')
export const caddy: Proxy = {
  name: 'caddy',
  missing: unlessRuns(caddyProgram, 'version'),
  async start(t, { port, listenAt: wanted, http2 = false, edit = (block) => block }) {
    const { folder, listenAt } = await place(t, wanted)
    const block = edit(await documented('caddyfile'))
      .replace('files.example.org', `http://127.0.0.1:${listenAt}`)
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
    const options = `{\n  admin off\n  servers {\n    protocols h1 ${http2 ? 'h2c' : ''}\n  }\n}\n`
    await writeFile(join(folder, 'Caddyfile'), `${options}${block}\n`)
    return startProgram(t, listenAt, caddyProgram, ['run', '--config', join(folder, 'Caddyfile')], {
      env: { ...process.env, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
    })
  },
}

const traefikProgram = spawnSync('traefik', ['version']).status === 0 ? 'traefik' : join(cache, 'razorbill/traefik/traefik')
export const traefik: Proxy = {
  name: 'traefik',
  missing: unlessRuns(traefikProgram, 'version', 'test/support/app/traefik.sh builds it'),
  // It speaks HTTP/2 without TLS beside HTTP/1.1.
  async start(t, { port, listenAt: wanted, edit = (block) => block }) {
    const { folder, listenAt } = await place(t, wanted)
    const [entry, route] = await documentedBlocks('yaml', 2)
    const routeFile = join(folder, 'razorbill.yml')
    const config = edit(entry).replace(':443', `127.0.0.1:${listenAt}`).replace('/etc/traefik/razorbill.yml', routeFile)
    const rules = route.replace('files.example.org', '127.0.0.1').replace(', tls: {}', '').replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
    await Promise.all([writeFile(join(folder, 'traefik.yml'), config), writeFile(routeFile, rules)])
    const url = await startProgram(t, listenAt, traefikProgram, [`--configFile=${join(folder, 'traefik.yml')}`])
    await eventually(async () => (await fetch(`${url}/api/health`)).ok, 'traefik has read the route')
    return url
  },
}

/** The proxies of the documentation. */
export const proxies = [nginx, haproxy, caddy, traefik]

/** Returns the only block of code in this language in `docs/reverse-proxy.md`. */
export async function documented(language: string): Promise<string> {
  return (await documentedBlocks(language, 1))[0]
}

async function documentedBlocks(language: string, count: number): Promise<[string, string]> {
  const blocks = [...(await readFile(documentation, 'utf8')).matchAll(/^```(\w+)\n(.*?)^```/gms)]
  const [first = '', second = '', ...others] = blocks.filter(([, name]) => name === language).map(([, , block]) => block ?? '')
  const found = [first, second].filter(Boolean).length + others.length
  if (found !== count) throw new Error(`The documentation has ${found} blocks of ${language}`)
  return [first, second]
}

async function place(t: Test, wanted?: number): Promise<{ folder: string; listenAt: number }> {
  return { folder: await temporaryFolder(t, 'proxy'), listenAt: wanted ?? (await freePort()) }
}
