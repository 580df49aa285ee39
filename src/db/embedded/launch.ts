import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process'

export interface Launch {
  uid: number
  gid: number
  /** True when this process is root and the program runs as another user. */
  other: boolean
  /** PostgreSQL's data folder. */
  cluster: string
  /** The signal the program gets when this process dies, kill -9 included, where the system can do that; null: none. */
  onParentDeath: 'INT' | 'KILL' | null
}

/** What the program finds its data folder by when another user may not enter the folders above: it starts in it, as root opened it. */
const STARTED_IN = '/proc/self/cwd'

/** Returns the data folder as the program is told to find it. */
export function folderArgument({ cluster, other }: Pick<Launch, 'cluster' | 'other'>): string {
  return other && process.platform === 'linux' ? STARTED_IN : cluster
}

/** Returns whether `argument`, from the command line of a process that runs in `cwd`, names `cluster`. */
export function namesCluster(argument: string | undefined, cwd: string | null, cluster: string): boolean {
  return argument === cluster || (argument === STARTED_IN && cwd === cluster)
}

/** Starts a PostgreSQL program in its data folder, in a session of its own, with none of our environment and no privilege. */
export function launch(program: string, args: string[], how: Launch, stdio: StdioOptions): ChildProcess {
  const { uid, gid, other, cluster, onParentDeath } = how
  const options = { cwd: cluster, detached: true, stdio, env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' } }
  if (!hasSetpriv()) return spawn(program, args, other ? { ...options, uid, gid } : options)
  const flags = [
    '--no-new-privs',
    ...(other ? [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--inh-caps=-all'] : []),
    ...(onParentDeath ? [`--pdeathsig=${onParentDeath}`] : []),
  ]
  return spawn('setpriv', [...flags, '--', program, ...args], options)
}

let setprivFound: boolean | undefined

/** Whether util-linux's setpriv is there: BusyBox has one of that name that cannot set the parent-death signal. */
function hasSetpriv(): boolean {
  setprivFound ??= spawnSync('setpriv', ['--pdeathsig=KILL', '--', 'true'], { stdio: 'ignore' }).status === 0
  return setprivFound
}
