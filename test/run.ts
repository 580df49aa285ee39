import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

// node test/run.ts [unit|api|e2e] [part of a file name…] [--tap-option…]
const root = dirname(import.meta.dirname)
const tiers = ['unit', 'api', 'e2e'] as const
type Tier = (typeof tiers)[number]

const words = process.argv.slice(2)
const options = words.filter((word) => word.startsWith('--'))
const names = words.filter((word) => !word.startsWith('--'))
const tier = isTier(names[0]) ? (names.shift() as Tier) : undefined
const files = matchingFiles(tier, names)
if (files.length === 0) fail(`No test file matches "${words.join(' ')}".`)

if (files.some(loadsPages)) run(['web/build/build.ts'])
buildTap()
const tap = spawn(process.execPath, [tapProgram(), ...options, ...files], { cwd: root, stdio: 'inherit' })
tap.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))

function isTier(word: string | undefined): word is Tier {
  return tiers.includes(word as Tier)
}

/**
 * Returns the files with the short unit tests last, so that both jobs end at about the same time.
 */
function matchingFiles(tier: Tier | undefined, names: string[]): string[] {
  const all = globSync(`test/**/*.${tier ?? '{unit,api,e2e}'}.test.ts`, { cwd: root }).sort()
  const matching = names.length === 0 ? all : all.filter((file) => names.some((name) => file.includes(name.replace(/^\.\//, ''))))
  return [...matching.filter((file) => !isUnit(file)), ...matching.filter(isUnit)]
}

function loadsPages(file: string): boolean {
  return !isUnit(file) || readFileSync(join(root, file), 'utf8').includes('dist/web')
}

function isUnit(file: string): boolean {
  return file.endsWith('.unit.test.ts')
}

/**
 * Builds tap's plugins once for each installed version and configuration, which takes some 10 s.
 */
function buildTap(): void {
  const hash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(readFileSync(join(root, '.taprc')))
    .digest('hex')
  const marker = join(root, 'node_modules/.cache/tap-built')
  if (existsSync(marker) && readFileSync(marker, 'utf8') === hash) return
  run([tapProgram(), 'build'])
  mkdirSync(dirname(marker), { recursive: true })
  writeFileSync(marker, hash)
}

function tapProgram(): string {
  return join(root, 'node_modules/.bin/tap')
}

function run(command: string[]): void {
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
