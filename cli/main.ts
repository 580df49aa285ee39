#!/usr/bin/env node
import { hostname } from 'node:os'
import product from '../package.json' with { type: 'json' }
import { exitCodes, Failure, usage } from './failure.ts'
import { get } from './get.ts'
import { help, overview } from './help.ts'
import { login, logout } from './login.ts'
import { ls } from './ls.ts'
import { type Command, commands, read, says } from './options.ts'
import { Output } from './output.ts'
import { resume } from './resume.ts'
import { rm } from './rm.ts'
import { up } from './up.ts'

/** `razorbill`, the command-line client: a process entry of its own, which needs Node and nothing else. */
async function main([command, ...words]: string[], output: Output): Promise<void> {
  if (command === '--version' || command === '-V') return console.log(product.version)
  if (command === '--help' || command === '-h' || command === 'help') return console.log(overview)
  if (command === undefined) throw usage('Which command? See: razorbill --help')
  if (!Object.hasOwn(commands, command)) throw usage(`There is no command "${command}". See: razorbill --help`)
  if (says(words, '--help', '-h')) return console.log(help[command as Command])
  await run(command as Command, words, output)
}

function run(command: Command, words: string[], output: Output): Promise<void> {
  switch (command) {
    case 'login':
      return login(read('login', words).given, hostname(), output)
    case 'logout':
      return logout(read('logout', words).given, output)
    case 'up': {
      const { given, values } = read('up', words)
      return up(given, values, output)
    }
    case 'resume': {
      const { given, values } = read('resume', words)
      return resume(given, values, output)
    }
    case 'get': {
      const { given, values } = read('get', words)
      return get(given, values, output)
    }
    case 'ls':
      return ls(read('ls', words).given, output)
    case 'rm': {
      const { given, values } = read('rm', words)
      return rm(given, values, output)
    }
  }
}

const words = process.argv.slice(2)
const output = new Output({ json: says(words, '--json'), quiet: says(words, '--quiet', '-q') })
process.stdout.on('error', () => process.exit(0)) // nobody reads on
main(words, output).then(
  () => process.exit(),
  (error: unknown) => {
    const failure = error instanceof Failure ? error : new Failure('failure', 'internal', String((error as Error)?.stack ?? error))
    output.failed(failure)
    process.exit(exitCodes[failure.ending])
  },
)
