import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process'
import type { Naming } from './naming.ts'

/** How to start a PostgreSQL program. */
export interface LaunchOptions {
  uid: number
  gid: number
  /** Whether this process is root and the program runs as another user. */
  other: boolean
  /** PostgreSQL's data folder. */
  cluster: string
  /**
   * The signal for the program when this process dies, even by kill -9, if supported; null: none.
   */
  onParentDeath: 'INT' | 'KILL' | null
  /** Gives the user a name if the system has none. */
  naming?: Naming | null
}

/** The data folder as its own working directory, for a user who can't enter the folders above. */
const WORKING_DIR = '/proc/self/cwd'

/** Returns the path of the data folder for the program's command line. */
export function folderArgument({ cluster, other }: Pick<LaunchOptions, 'cluster' | 'other'>): string {
  return other && process.platform === 'linux' ? WORKING_DIR : cluster
}

/** Returns whether a command-line argument of a process that runs in `cwd` refers to `cluster`. */
export function namesCluster(argument: string | undefined, cwd: string | null, cluster: string): boolean {
  return argument === cluster || (argument === WORKING_DIR && cwd === cluster)
}

/**
 * Starts a PostgreSQL program in its data folder and a new session, without our environment or
 * privileges.
 */
export function launch(
  program: string,
  args: string[],
  { uid, gid, other, cluster, onParentDeath, naming }: LaunchOptions,
  stdio: StdioOptions,
): ChildProcess {
  const options = { cwd: cluster, detached: true, stdio, env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC', ...naming?.env } }
  if (!hasSetpriv()) return spawn(program, args, other ? { ...options, uid, gid } : options)
  const flags = [
    '--no-new-privs',
    ...(other ? [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--inh-caps=-all'] : []),
    ...(onParentDeath ? [`--pdeathsig=${onParentDeath}`] : []),
  ]
  return spawn('setpriv', [...flags, '--', program, ...args], options)
}

let setprivFound: boolean | undefined

/**
 * Returns whether util-linux's setpriv is installed. BusyBox's can't set the parent-death signal.
 */
function hasSetpriv(): boolean {
  setprivFound ??= spawnSync('setpriv', ['--pdeathsig=KILL', '--', 'true'], { stdio: 'ignore' }).status === 0
  return setprivFound
}
