import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { scratch } from '../bench/support/server.ts'

const folder = import.meta.dirname
const environment = resolve(folder, '../.ci/venv')
const program = join(environment, 'bin/st')

/**
 * The credentials of the calls: the administrator's token, or sessions of accounts that it creates.
 */
export interface Caller {
  url: string
  token: string
  admin: { username: string; password: string }
  /** Ids that no call may delete: the administrator's and the token's. */
  kept: string[]
}

/**
 * Makes calls from the OpenAPI document with Schemathesis until the time is over; returns their
 * number and the faults.
 */
export async function fuzzDescribedCalls(
  { url, token, admin, kept }: Caller,
  seed: number,
  seconds: number,
): Promise<{ sent: number; faults: string[] }> {
  install()
  const options = ['--seed', `${seed}`, '--max-time', `${Math.round(seconds)}`, '--checks', 'not_a_server_error', '--continue-on-failure']
  const quiet = ['--no-color', '--warnings', 'off', '--request-timeout', '30', '--no-shrink']
  const args = [
    '--config-file',
    join(folder, 'schemathesis.toml'),
    ...quiet.slice(0, 1),
    'run',
    `${url}/api/openapi.json`,
    ...options,
    ...quiet.slice(1),
  ]
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: folder,
    PYTHONDONTWRITEBYTECODE: '1',
    SCHEMATHESIS_HOOKS: 'callers',
    FUZZ_URL: url,
    FUZZ_TOKEN: token,
    FUZZ_ADMIN: JSON.stringify(admin),
    FUZZ_KEPT: kept.join(),
  }
  const child = spawn(program, args, { cwd: await scratch(), env, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code] = await once(child, 'close')
  const sent = Number(/([\d,]+) generated/.exec(output)?.[1]?.replaceAll(',', '') ?? 0)
  const shown = output.split('\n').map((line) => line.slice(0, 300))
  return { sent, faults: code === 0 ? [] : [`Schemathesis ended with code ${code}:\n${shown.slice(0, 300).join('\n')}`] }
}

function install(): void {
  if (existsSync(program)) return
  execFileSync('python3', ['-m', 'venv', environment])
  execFileSync(join(environment, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', '-r', join(folder, 'requirements.txt')])
}
