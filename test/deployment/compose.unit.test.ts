import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import product from '../../package.json' with { type: 'json' }
import { readEnv } from '../../src/env.ts'

interface Service {
  image?: string
  env_file?: string
  environment?: Record<string, string>
  command?: string[]
  profiles?: string[]
  depends_on?: Record<string, { required?: boolean }>
}

/**
 * A Compose file with its variables resolved as Compose does. Throws when a required one is not
 * set.
 */
function compose(file: string, variables: Record<string, string>): Record<string, Service> {
  const fill = (_key: string, value: unknown) =>
    typeof value !== 'string'
      ? value
      : value.replace(/\$\{(\w+)(:[-?])([^}]*)\}/g, (_all, name: string, kind: string, more: string) => {
          if (variables[name]) return variables[name]
          if (kind === ':?') throw new Error(`${name}: ${more}`)
          return more
        })
  return JSON.parse(JSON.stringify(parse(readFileSync(file, 'utf8'), { merge: true }).services), fill)
}

const folder = mkdtempSync(join(tmpdir(), 'razorbill-compose-'))
t.teardown(() => rmSync(folder, { recursive: true }))
cpSync('compose', join(folder, 'compose'), { recursive: true })
execFileSync('sh', [join(folder, 'compose/make-env.sh')], { stdio: 'ignore' })
const made = readFileSync(join(folder, '.env'), 'utf8')
const variables = Object.fromEntries(
  made.split('\n').flatMap((line) => (/^\w+=/.test(line) ? [line.split('=', 2) as [string, string]] : [])),
)

t.test('creates the secrets with one command, for their owner only, and never overwrites any', async (t) => {
  t.equal(statSync(join(folder, '.env')).mode & 0o777, 0o600)
  t.match(variables.S3_ACCESS_KEY_ID, /^GK[0-9a-f]{24}$/, 'in Garage’s format')
  t.throws(() => execFileSync('sh', [join(folder, 'compose/make-env.sh')], { stdio: 'ignore' }))
  t.equal(readFileSync(join(folder, '.env'), 'utf8'), made)
  t.throws(() => compose('docker-compose.yml', {}), { message: /run compose\/make-env\.sh first/ })
})

t.test('passes valid settings to server and worker, and addresses that reach each other', async (t) => {
  const services = compose('docker-compose.yml', variables)
  for (const name of ['app', 'worker']) {
    const env = readEnv(services[name]!.environment!)
    t.match(env, { worker: 'off', s3: { endpoint: 'http://garage:3900', region: 'garage', bucket: 'razorbill', forcePathStyle: true } })
    for (const url of [env.databaseUrl!, env.redisUrl!, env.s3!.endpoint!]) t.ok(services[new URL(url).hostname], url)
  }
  t.same(services.app!.environment, services.worker!.environment)
  t.match(services.garage!.environment, { GARAGE_DEFAULT_ACCESS_KEY: variables.S3_ACCESS_KEY_ID, GARAGE_DEFAULT_BUCKET: 'razorbill' })
  t.match(variables.COMPOSE_PROFILES, services.garage!.profiles![0]!)
  t.equal(services.app!.depends_on!.garage!.required, false, 'it is optional')
  for (const { image } of Object.values(services)) t.match(image, /:[\w.-]*\d/, 'a version')
})

t.test('accepts every other variable in .env, but keeps the internal port', async (t) => {
  const more = { ...variables, PORT: '8080', METRICS_PORT: '9090', RAZORBILL_SHARE_MAX_SIZE: '5000' }
  const services = compose('docker-compose.yml', more)
  for (const name of ['app', 'worker']) {
    t.equal(services[name]!.env_file, '.env')
    const env = readEnv({ ...more, ...services[name]!.environment })
    t.match(env, { port: 3000, dataDir: '/data', metricsPort: 9090, settings: { 'share.maxSize': 5000 } })
  }
})

t.test('keeps MinIO data with another store and the same key', async (t) => {
  const { app, worker, minio } = compose('compose/minio.yml', { ...variables, MINIO_DATA: '/data' })
  const both = compose('docker-compose.yml', variables)
  for (const [name, changes] of Object.entries({ app, worker })) {
    t.match(readEnv({ ...both[name]!.environment, ...changes!.environment }), {
      s3: { endpoint: 'http://minio:9000', region: 'us-east-1' },
    })
  }
  t.match(minio!.environment, { MINIO_ROOT_USER: variables.S3_ACCESS_KEY_ID, MINIO_ROOT_PASSWORD: variables.S3_SECRET_ACCESS_KEY })
})

t.test('contains every file that its commands start', async (t) => {
  const dockerfile = readFileSync('Dockerfile', 'utf8')
  const { app, worker } = compose('docker-compose.yml', variables)
  const [, command] = /^CMD (\[.*\])$/m.exec(dockerfile)!
  const programs = [JSON.parse(command!), worker!.command!, app!.command ?? []].flat().filter((word: string) => word.includes('/'))
  const [, variable] = /^ENV (MALLOC_.*)$/m.exec(dockerfile)!
  t.equal(`exec env ${variable} ${JSON.parse(command!).join(' ')}`, product.scripts.start, 'the same as npm start')
  t.same(programs, ['dist/server/server.js', 'worker/main.ts'])
  const copied = [...dockerfile.matchAll(/^COPY --from=build (.*) \S+$/gm)].flatMap(([, paths]) => paths!.split(' '))
  const inImage = copied.map((path) => path.replace('/app/', ''))
  t.same(
    inImage.filter((path) => path !== 'dist' && !existsSync(path)),
    [],
  )
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n')
  for (const needed of ['package.json', 'migrations', 'locales', ...programs.map((path: string) => path.split('/')[0]!)]) {
    t.ok(inImage.includes(needed), needed)
    if (needed !== 'dist') t.notOk(ignored.includes(needed), `${needed} is not built in the image`)
  }
})

t.test('starts everything in one container with a Compose file of eight lines', async (t) => {
  const file = readFileSync('compose.standalone.yml', 'utf8')
  t.equal(file.trim().split('\n').length, 8)
  t.match(parse(file).services, {
    razorbill: { build: { target: 'standalone' }, ports: ['3000:3000'], volumes: ['razorbill:/data'], restart: 'unless-stopped' },
  })
  const stages = [...readFileSync('Dockerfile', 'utf8').matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name)
  t.ok(stages.includes('standalone'))
  t.equal(stages.at(-1), 'production', 'the default')
})

const noSystemd = spawnSync('systemd-analyze', ['--version']).status === 0 ? false : 'systemd-analyze is not installed'

t.test('has a valid systemd unit that starts Node directly', { skip: noSystemd }, async (t) => {
  const unit = readFileSync('systemd/razorbill.service', 'utf8')
  const [, command] = /^ExecStart=\/opt\/razorbill\/node_modules\/.bin\/(node .*)$/m.exec(unit)!
  const [, variable] = /^Environment=.* (MALLOC_\S+)$/m.exec(unit)!
  t.equal(`exec env ${variable} ${command}`, product.scripts.start, 'the same as npm start')
  const file = join(folder, 'razorbill.service')
  writeFileSync(file, unit.replaceAll('/opt/razorbill/node_modules/.bin/node', process.execPath))
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
  t.equal(`${stdout}${stderr}`, '')
  t.equal(status, 0)
})
