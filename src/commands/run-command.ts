import type { Logger } from 'pino'
import { type Env, EnvError, readEnv } from '../env.ts'
import { StartError } from '../errors.ts'
import { type Closer, createCloser } from '../process/closing.ts'
import { commandLog } from './database.ts'

/** What a command works with. */
export interface Tools {
  env: Env
  log: Logger
  closing: Closer
}

interface Command<Arguments> {
  name: string
  level: 'info' | 'warn'
  usage: string
  /** Returns null for arguments that the command does not accept. */
  parse(args: string[]): Arguments | null
  run(parsed: Arguments, tools: Tools): Promise<void>
}

/**
 * Runs a command with the arguments of the process, and closes what it opened. Wrong arguments
 * print the usage and exit with 2. Other failures exit with 1, those for the operator as a sentence.
 */
export async function runCommand<Arguments>({ name, level, usage, parse, run }: Command<Arguments>): Promise<void> {
  const parsed = parse(process.argv.slice(2))
  if (!parsed) {
    console.error(usage)
    process.exitCode = 2
    return
  }
  try {
    const env = readEnv(process.env)
    const log = commandLog(name, level)
    const closing = createCloser(log)
    try {
      await run(parsed, { env, log, closing })
    } finally {
      await closing.close()
    }
  } catch (error) {
    console.error(error instanceof StartError || error instanceof EnvError ? error.message : error)
    process.exitCode = 1
  }
}
