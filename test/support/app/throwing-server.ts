import { Readable } from 'node:stream'
import Fastify, { type FastifyBaseLogger, type FastifyReply } from 'fastify'
import { errorHandler } from '../../../src/http/error-handler.ts'
import { trackRequests } from '../../../src/http/request-scope.ts'
import { catchFromHandlers } from '../../../src/http/stray-errors.ts'
import { run } from '../../../src/process/run.ts'
import { runJob } from '../../../src/queue/job-scope.ts'

const longestStop = 5_000 // ms
let throwOutside = false
let endJob: ((message: Promise<string>) => void) | undefined

/**
 * Places in which a request's work throws an uncaught error. None of them sends a response
 * otherwise.
 */
const places: Record<string, (reply: FastifyReply) => void> = {
  plugin() {
    const inner = Fastify()
    inner.register((_app, _options, _done) => fail('plugin'))
    inner.ready(() => {}) // it never sees the error, and times out after 10 s
  },
  stream: () => void new Readable({ read: () => fail('stream') }).resume(),
  'stream-error': () =>
    void new Readable({
      read() {
        this.destroy(new Error('thrown in stream-error'))
      },
    }).resume(),
  timer: () => void setTimeout(fail, 10, 'timer'),
  immediate: () => void setImmediate(fail, 'immediate'),
  rejection: () => void Promise.reject(new Error('thrown in rejection')),
  event: ({ request }) => void request.raw.on('data', () => fail('event')),
  late({ raw }) {
    raw.writeHead(200, { 'content-length': 10 }).write('half')
    setTimeout(fail, 10, 'late')
  },
}

function fail(place: string): never {
  throw new Error(`thrown in ${place}`)
}

/** Runs a job whose timer throws, as in the server's own worker. Returns the message of its failure. */
function throwInJob(): Promise<string> {
  const job = runJob(() => new Promise(() => setTimeout(fail, 10, 'job')))
  return job.then(
    () => 'done',
    (error: Error) => error.message,
  )
}

/** Runs a server configured like the product's, with a route for each place. */
await run(
  'server',
  () => longestStop,
  async ({ env, log, closing }) => {
    const app = Fastify({ loggerInstance: log as FastifyBaseLogger })
    app.setErrorHandler(errorHandler)
    trackRequests(app, catchFromHandlers)
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => done(null)) // the body is left to the listener
    closing.add('server', () => app.close())
    for (const [place, begin] of Object.entries(places)) app.post(`/${place}`, (_request, reply) => begin(reply))
    app.post('/hook', { preHandler: (_request, _reply, _done) => void setImmediate(fail, 'hook') }, () => 'never')
    app.post('/outside', () => {
      throwOutside = true
      return 'soon'
    })
    app.post('/job', () => new Promise((resolve) => (endJob = resolve)))
    app.get('/health', () => 'OK')
    setInterval(() => {
      endJob?.(throwInJob())
      endJob = undefined
      if (!throwOutside) return
      throwOutside = false
      fail('outside')
    }, 20)
    console.log(`Listening: ${await app.listen({ port: env.port, host: '127.0.0.1' })}`)
  },
)
