#!/usr/bin/env node
import { hostname } from 'node:os'
import product from '../package.json' with { type: 'json' }
import { exitCodes, Failure, usage } from './failure.ts'
import { get } from './get.ts'
import { help, overview } from './help.ts'
import { links } from './links.ts'
import { login, logout } from './login.ts'
import { ls } from './ls.ts'
import { type Command, commands, hasOption, readOptions } from './options.ts'
import { Output } from './output.ts'
import { recipients } from './recipients.ts'
import { resume } from './resume.ts'
import { rm } from './rm.ts'
import { up } from './up.ts'

/** Runs `razorbill`, the command-line client, which needs only Node. */
async function main([command, ...words]: string[], output: Output): Promise<void> {
  if (command === '--version' || command === '-V') return console.log(product.version)
  if (command === '--help' || command === '-h' || command === 'help') return console.log(overview)
  if (command === undefined) throw usage('Which command? See: razorbill --help')
  if (!Object.hasOwn(commands, command)) throw usage(`There is no command "${command}". See: razorbill --help`)
  if (hasOption(words, '--help', '-h')) return console.log(help[command as Command])
  await run(command as Command, words, output)
}

function run(command: Command, words: string[], output: Output): Promise<void> {
  switch (command) {
    case 'login':
      return login(readOptions('login', words).positionals, hostname(), output)
    case 'logout':
      return logout(readOptions('logout', words).positionals, output)
    case 'up': {
      const { positionals, values } = readOptions('up', words)
      return up(positionals, values, output)
    }
    case 'resume': {
      const { positionals, values } = readOptions('resume', words)
      return resume(positionals, values, output)
    }
    case 'get': {
      const { positionals, values } = readOptions('get', words)
      return get(positionals, values, output)
    }
    case 'ls':
      return ls(readOptions('ls', words).positionals, output)
    case 'rm': {
      const { positionals, values } = readOptions('rm', words)
      return rm(positionals, values, output)
    }
    case 'links': {
      const { positionals, values } = readOptions('links', words)
      return links(positionals, values, output)
    }
    case 'recipients': {
      const { positionals, values } = readOptions('recipients', words)
      return recipients(positionals, values, output)
    }
  }
}

const words = process.argv.slice(2)
const output = new Output({ json: hasOption(words, '--json'), quiet: hasOption(words, '--quiet', '-q') })
process.stdout.on('error', () => process.exit(0)) // the reader has closed the pipe
main(words, output).then(
  () => process.exit(),
  (error: unknown) => {
    const failure = error instanceof Failure ? error : new Failure('failure', 'internal', String((error as Error)?.stack ?? error))
    output.failed(failure)
    process.exit(exitCodes[failure.ending])
  },
)
