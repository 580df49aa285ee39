import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What programs need to start. They see nothing else of the machine. */
const visible = ['/usr', '/lib', '/lib64', '/bin', '/nix/store', '/etc/ld.so.cache', '/etc/alternatives', '/etc/fonts']

/**
 * Returns the command prefix that runs a program with bubblewrap: without network, with its own
 * processes and users, and with one folder to write to. Returns null where the system forbids this,
 * as most container runtimes do.
 */
export async function isolationOf(bwrap: string, program: string, folder: string): Promise<((folder: string) => string[]) | null> {
  const command = (path: string) => [
    bwrap,
    ...['--unshare-all', '--die-with-parent', '--new-session', '--proc', '/proc', '--dev', '/dev'],
    ...visible.flatMap((shown) => ['--ro-bind-try', shown, shown]),
    ...['--bind', path, '/work', '--chdir', '/work', '--setenv', 'HOME', '/work', '--setenv', 'TMPDIR', '/work'],
  ]
  const [file = '', ...args] = command(folder)
  const works = await run(file, [...args, program, '--version'], { timeout: 5_000, env: {} }).catch(() => null)
  return works && command
}
