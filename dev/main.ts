import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { openDatabase } from '../src/process/open-database.ts'
import { run } from '../src/process/run.ts'
import { freePort } from '../test/support/listening.ts'
import { createFront } from './front.ts'
import { describeSite } from './site.ts'
import { startWatched } from './watched.ts'

const root = join(import.meta.dirname, '..')
const LONGEST_STOP = 20_000 // ms
const defaults = { DATA_DIR: 'data-dev', PORT: '3000', DRAIN_SECONDS: '1' }

Object.assign(process.env, { ...defaults, ...process.env, NODE_ENV: 'development' })

// PostgreSQL runs here, so that the API and the worker can restart without it.
await run(
  'server',
  () => LONGEST_STOP,
  async (running) => {
    const { env, closing } = running
    const { connectionString, secretKey } = await openDatabase(running)
    const apiPort = await freePort()
    const server = createServer()
    const origin = `http://localhost:${env.port}`
    const front = await createFront(server, apiPort)
    closing.add('Vite', front.close)
    const environment = {
      APP_URL: origin,
      ...process.env,
      DATABASE_URL: connectionString,
      SECRET_KEY: secretKey,
      HOST: '127.0.0.1',
      PORT: String(apiPort),
      WEB_DIR: describeSite(join(root, 'dist/web-dev'), origin),
      WORKER: 'off',
    }
    const processes = ['src/server.ts', 'worker/main.ts'].map((program) => startWatched(join(root, program), environment))
    closing.add('processes', () => Promise.all(processes.map(({ stop }) => stop())))
    server.listen(env.port, 'localhost')
    await once(server, 'listening')
    closing.add('server', () => server.close().closeAllConnections())
    console.log(`Development server: ${origin}`)
  },
)
