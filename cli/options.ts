import { type ParseArgsConfig, parseArgs } from 'node:util'
import { usage } from './failure.ts'

type Options = NonNullable<ParseArgsConfig['options']>

const common = {
  json: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
} as const satisfies Options

/** The options of each command, besides `--help`, `--json` and `--quiet`. */
export const commands = {
  login: {},
  logout: {},
  up: {
    description: { type: 'string' },
    encrypt: { type: 'boolean' },
    expires: { type: 'string', short: 'e' },
    id: { type: 'string' },
    'max-downloads': { type: 'string' },
    'max-views': { type: 'string' },
    name: { type: 'string', short: 'n' },
    password: { type: 'string' },
    'stdin-name': { type: 'string' },
    to: { type: 'string', multiple: true },
    'verify-email': { type: 'boolean' },
  },
  resume: { discard: { type: 'boolean' } },
  get: {
    force: { type: 'boolean', short: 'f' },
    output: { type: 'string', short: 'o' },
    password: { type: 'string' },
  },
  ls: {},
  rm: { yes: { type: 'boolean', short: 'y' } },
  links: {
    expires: { type: 'string', short: 'e' },
    id: { type: 'string' },
    label: { type: 'string', short: 'l' },
    'max-downloads': { type: 'string' },
    'max-views': { type: 'string' },
    password: { type: 'string' },
    to: { type: 'string' },
    'verify-email': { type: 'boolean' },
  },
  recipients: {
    add: { type: 'string', multiple: true },
    mail: { type: 'string', multiple: true },
    'no-verify-email': { type: 'boolean' },
    remove: { type: 'string', multiple: true },
    'verify-email': { type: 'boolean' },
  },
} as const satisfies Record<string, Options>
export type Command = keyof typeof commands

type Values<C extends Command> = ReturnType<typeof parseArgs<{ options: (typeof commands)[C] }>>['values']
export type UpOptions = Values<'up'>
export type ResumeOptions = Values<'resume'>
export type GetOptions = Values<'get'>
export type RmOptions = Values<'rm'>
export type LinksOptions = Values<'links'>
export type RecipientsOptions = Values<'recipients'>

export interface ParsedOptions<C extends Command> {
  values: Values<C>
  positionals: string[]
}

/** Parses the words after the command. @throws Failure `usage` for unknown options */
export function readOptions<C extends Command>(command: C, words: readonly string[]): ParsedOptions<C> {
  try {
    const args = withAskedPassword(words)
    const options = { ...common, ...commands[command] }
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true })
    const { json: _json, quiet: _quiet, ...others } = values as Record<string, unknown>
    return { values: others as Values<C>, positionals }
  } catch (error) {
    if (!(error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')) throw error
    throw usage(`${(error as Error).message.split('\n')[0]} See: razorbill ${command} --help`)
  }
}

/** Returns whether a word before `--` is one of these. */
export function hasOption(words: readonly string[], ...names: string[]): boolean {
  const end = words.indexOf('--')
  return (end < 0 ? words : words.slice(0, end)).some((word) => names.includes(word))
}

/** `--password` alone asks for the password and does not consume the next word. */
function withAskedPassword(words: readonly string[]): string[] {
  const end = words.indexOf('--')
  return words.map((word, index) => (word === '--password' && (end < 0 || index < end) ? '--password=' : word))
}
