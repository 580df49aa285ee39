import { execFileSync, spawn } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { atEnd } from './closing.ts'
import { freePort, scratch, stopProcess, waitForResponse } from './server.ts'

/** Returns whether nginx is installed. */
export function hasNginx(): boolean {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Starts nginx with one worker on a folder: sendfile for GET, dav for PUT. */
export async function startNginx(): Promise<{ url: string; folder: string }> {
  const base = await scratch()
  const folder = join(base, 'files')
  await mkdir(folder)
  await chmod(base, 0o755)
  await chmod(folder, 0o777)
  await writeFile(join(folder, 'ready'), 'ok')
  const port = freePort()
  const config = `
    daemon off; worker_processes 1; pid ${base}/nginx.pid; error_log ${base}/error.log;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    events { worker_connections 1024; }
    http {
      access_log off; sendfile on; tcp_nopush on; client_max_body_size 0; client_body_buffer_size 1m;
      client_body_temp_path ${base}/body; proxy_temp_path ${base}/proxy; fastcgi_temp_path ${base}/fastcgi; uwsgi_temp_path ${base}/uwsgi; scgi_temp_path ${base}/scgi;
      server { listen 127.0.0.1:${port}; root ${folder}; dav_methods PUT; create_full_put_path on; }
    }`
  await writeFile(join(base, 'nginx.conf'), config)
  const child = spawn('nginx', ['-p', base, '-c', join(base, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'ignore'] })
  atEnd(() => stopProcess(child))
  const url = `http://127.0.0.1:${port}`
  await waitForResponse(`${url}/ready`, child)
  return { url, folder }
}
