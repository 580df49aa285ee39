import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process'
import { StartError } from '../../data-dir.ts'
import { type Account, reaches } from './account.ts'

export interface Launch {
  account: Account
  /** What the program must reach; as root, PostgreSQL is let past folder permissions only when one of them needs it. */
  paths: string[]
  /** The signal the program gets when this process dies, kill -9 included, where the system can do that; null: none. */
  onParentDeath: 'INT' | 'KILL' | null
}

/** Starts a PostgreSQL program in a session of its own, with none of our environment; throws StartError when its user cannot reach it. */
export function launch(program: string, args: string[], { account, paths, onParentDeath }: Launch, stdio: StdioOptions): ChildProcess {
  const blocked = account.other ? paths.find((path) => !reaches(account, path)) : undefined
  const setpriv = hasSetpriv()
  if (blocked && !setpriv) {
    throw new StartError(
      `PostgreSQL runs as user id ${account.uid}, who may not enter ${blocked}. Install setpriv (util-linux), run Razorbill as an ordinary user, or move the folder.`,
    )
  }
  const options = { cwd: '/', detached: true, stdio, env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' } }
  if (!setpriv) return spawn(program, args, account.other ? { ...options, uid: account.uid, gid: account.gid } : options)
  const flags = [
    ...(account.other ? identity(account, blocked !== undefined) : []),
    ...(onParentDeath ? [`--pdeathsig=${onParentDeath}`] : []),
  ]
  return flags.length > 0 ? spawn('setpriv', [...flags, '--', program, ...args], options) : spawn(program, args, options)
}

function identity({ uid, gid }: Account, pastPermissions: boolean): string[] {
  const user = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  if (!pastPermissions) return [...user, '--inh-caps=-all']
  return [...user, '--inh-caps=-all,+dac_override', '--ambient-caps=-all,+dac_override', '--securebits=+no_setuid_fixup']
}

let setprivFound: boolean | undefined

/** Whether util-linux's setpriv is there: BusyBox has one of that name that cannot set the parent-death signal. */
function hasSetpriv(): boolean {
  setprivFound ??= spawnSync('setpriv', ['--pdeathsig=KILL', '--', 'true'], { stdio: 'ignore' }).status === 0
  return setprivFound
}
