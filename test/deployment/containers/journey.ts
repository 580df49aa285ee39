import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../../support/app/worker.ts'
import { freePort } from '../../support/listening.ts'
import { halfUpload, person, ready, signUp } from '../../support/people/person.ts'
import { png } from '../../support/png.ts'
import { emptyDatabase } from '../../support/postgres.ts'
import { overTcp } from '../../support/postgres-over-tcp.ts'

// Runs the images that build.sh has built, under a user id without a name.

const user = 12_345
const DOCKER_PATIENCE = 10_000 // ms from SIGTERM to SIGKILL

interface Test {
  teardown(work: () => Promise<unknown>): void
}

interface ImageConfig {
  Env: string[]
  Cmd: string[]
  User: string
  WorkingDir: string
  Volumes: object
  Healthcheck: { Test: string[] }
}

t.setTimeout(240_000)

const buildah = (...args: string[]) => execFileSync('buildah', args, { encoding: 'utf8', maxBuffer: 2 ** 24 }).trim()

/** Mounts an image and returns how to run it on a volume that only group 0 may write to. */
async function containerOf(t: Test, image: string) {
  const config: ImageConfig = JSON.parse(buildah('inspect', '--type', 'image', image)).Docker.config
  const container = buildah('from', '--pull-never', image)
  t.teardown(async () => buildah('rm', container))
  const root = buildah('mount', container)
  const volume = await mkdtemp(join(tmpdir(), 'razorbill-volume-'))
  t.teardown(() => rm(volume, { recursive: true, force: true }))
  await chown(volume, 1000, 0)
  await chmod(volume, 0o770)

  async function run(variables: Record<string, string> = {}, command = config.Cmd) {
    const port = await freePort()
    const environment = [...config.Env, `PORT=${port}`, ...Object.entries(variables).map((pair) => pair.join('='))]
    const script = join(import.meta.dirname, 'run.sh')
    const child = spawn(script, [root, volume, String(user), ...environment, ...command], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    const ended = once(child, 'close').then(([code]) => code as number | null)
    t.teardown(async () => {
      child.kill('SIGKILL')
      await ended
    })
    const says = (text: string) =>
      eventually(() => {
        if (child.exitCode !== null) throw new Error(`It ended:\n${output}`)
        return output.includes(text)
      }, `it says "${text}"`)
    const processOne = async () => Number((await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')).trim())
    const inside = async (test: string[]) => {
      const enter = ['--target', String(await processOne()), '--mount', '--pid', '--root', '--wd', 'env', '-i', ...environment, ...test]
      return spawn('nsenter', enter, { stdio: 'inherit' })
    }
    return {
      url: () => `http://127.0.0.1:${port}`,
      says,
      output: () => output,
      async isHealthy() {
        const [code] = await once(await inside(config.Healthcheck.Test.slice(1)), 'exit')
        return code === 0
      },
      /** Stops it as `docker stop` does, and returns its exit code and the time in ms. */
      async stop() {
        const start = performance.now()
        process.kill(await processOne(), 'SIGTERM')
        return { code: await ended, ms: performance.now() - start }
      },
    }
  }
  return { config, run }
}

const content = Buffer.from('some text')
const photo = png(60, 40, (x, y) => [4 * x, 6 * y, 0, 255])

/** Shares a photo and waits until the worker has made its preview. */
async function previewPhoto(user: ReturnType<typeof person>) {
  const file = await user.share('photo', photo, 'photo.png')
  const files = async () => JSON.parse(String((await user.good('GET', '/shares/photo/from-owner')).body)).files
  await eventually(async () => (await files())[0].preview !== undefined, 'the worker makes a preview')
  return user.good('GET', `/shares/photo/files/${file}/thumbnail`)
}

const setupCodeOf = (output: string) => /^Setup code: (.+)$/m.exec(output)?.[1]

t.test('runs everything in one container with one volume', async (t) => {
  const { config, run } = await containerOf(t, 'razorbill:standalone')
  t.match(config, { User: '1000:0', WorkingDir: '/app', Volumes: { '/data': {} } })
  t.equal(config.Cmd[0], 'node', 'without npm')
  const first = await run()
  await first.says('Razorbill is ready')
  t.ok(await first.isHealthy())
  const cookie = await signUp(first, setupCodeOf(first.output()))
  const admin = person(first, cookie)
  await admin.good('PATCH', '/configs/admin', [{ key: 'share.zipCompressionLevel', value: 1 }])
  const file = await admin.share('photos', content)
  const isZipReady = async () => JSON.parse(String((await admin.good('GET', '/shares/photos/metaData')).body)).isZipReady
  await eventually(isZipReady, 'the worker inside builds the zip')
  t.match((await previewPhoto(admin)).headers, { 'content-type': 'image/webp' })
  await admin.good('POST', '/shares', { id: 'later', expiration: 'never' })
  const large = await admin.announce('later', 'a.bin', 4_000_000)
  await halfUpload(first, cookie, `/shares/later/files/${large.id}/parts/1`, Buffer.alloc(4_000_000))
  const stopped = await first.stop()
  t.equal(stopped.code, 0)
  t.ok(stopped.ms < DOCKER_PATIENCE, `it stops within Docker's 10 s, although an upload hangs: ${stopped.ms} ms`)

  const second = await run()
  await second.says('Razorbill is ready')
  t.equal(String((await person(second, cookie).good('GET', `/shares/photos/files/${file}`)).body), content.toString())
  t.equal((await second.stop()).code, 0)
})

t.test('runs server and worker in separate containers on external services', async (t) => {
  const { config, run } = await containerOf(t, 'razorbill:production')
  t.match(config, { User: '1000:0', Volumes: { '/data': {} } })
  const variables = { DATABASE_URL: await overTcp(t, await emptyDatabase()), SECRET_KEY: 'x'.repeat(32), WORKER: 'off' }
  const server = await run(variables)
  await server.says('Razorbill is ready')
  const worker = await run(variables, ['node', 'worker/main.ts'])
  await worker.says('worker is ready')
  t.match(await ready(server), { code: 200 })
  t.ok(await server.isHealthy())
  const admin = person(server, await signUp(server, setupCodeOf(server.output())))
  const file = await admin.share('photos', content)
  t.equal(String((await admin.good('GET', `/shares/photos/files/${file}`)).body), content.toString())
  t.match((await previewPhoto(admin)).headers, { 'content-type': 'image/webp' })
  for (const container of [worker, server]) t.equal((await container.stop()).code, 0)
  const alone = await run({})
  await t.rejects(alone.says('Razorbill is ready'), /There is no embedded PostgreSQL/)
})
