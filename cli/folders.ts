import { homedir } from 'node:os'
import { join } from 'node:path'

/** Returns the folder of the sign-in (XDG Base Directory). */
export const configFolder = () => folder('XDG_CONFIG_HOME', '.config')
/** Returns the folder of unfinished transfers. */
export const stateFolder = () => folder('XDG_STATE_HOME', '.local/state')

function folder(variable: string, fallback: string): string {
  return join(process.env[variable] || join(homedir(), fallback), 'razorbill')
}
