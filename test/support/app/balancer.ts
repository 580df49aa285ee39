import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../listening.ts'
import { startProgram, temporaryFolder, unlessRuns } from '../server-program.ts'

/** Why no proxy can run here, or undefined when one can. */
export const noBalancer = unlessRuns('nginx', '-v')

/**
 * Starts an nginx that balances requests over these ports in turn, configured as in the README. The
 * `x-replica` header of a response names its server. Returns its address.
 */
export async function startBalancer(t: { teardown(work: () => Promise<unknown>): void }, ports: number[]): Promise<string> {
  const folder = await temporaryFolder(t, 'nginx')
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
  return startProgram(t, port, 'nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')])
}
