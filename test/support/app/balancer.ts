import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../listening.ts'
import { eventually } from './worker.ts'

/** Why no proxy can run here, or undefined when one can. */
export const noBalancer: string | undefined = spawnSync('nginx', ['-v']).status === 0 ? undefined : 'nginx is not installed'

/**
 * Starts an nginx that balances requests over these ports in turn, configured as in the README. The
 * `x-replica` header of a response names its server. Returns its address.
 */
export async function startBalancer(t: { teardown(work: () => Promise<unknown>): void }, ports: number[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'razorbill-nginx-'))
  const port = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`)
  const replicas = ports.map((port) => `server 127.0.0.1:${port} max_fails=1 fail_timeout=1s;`)
  const config = `
    daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log; ${process.getuid?.() === 0 ? 'user root;' : ''}
    events { worker_connections 1024; }
    http {
      access_log off; ${temporary.join(' ')}
      upstream replicas { ${replicas.join(' ')} keepalive 16; }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://replicas; proxy_http_version 1.1; proxy_set_header Connection ''; proxy_set_header Host $http_host;
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header X-Forwarded-Proto $scheme;
          client_max_body_size 0; proxy_request_buffering off; proxy_buffering off; proxy_read_timeout 1h;
          add_header x-replica $upstream_addr always;
        }
      }
    }`
  await writeFile(join(folder, 'nginx.conf'), config)
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(nginx, 'exit')
  t.teardown(async () => {
    nginx.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true })
  })
  await eventually(() => listens(port), 'nginx listens')
  return `http://127.0.0.1:${port}`
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.end())
  })
}
