import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where the sign-in is kept (XDG Base Directory). */
export const configFolder = () => folder('XDG_CONFIG_HOME', '.config')
/** Where unfinished transfers are written down. */
export const stateFolder = () => folder('XDG_STATE_HOME', '.local/state')

function folder(variable: string, fallback: string): string {
  return join(process.env[variable] || join(homedir(), fallback), 'razorbill')
}
