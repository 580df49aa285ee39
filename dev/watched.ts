import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs a program and restarts it when a module that it imports changes. */
export function startWatched(program: string, environment: NodeJS.ProcessEnv): { stop(): Promise<void> } {
  const child = spawn(process.execPath, ['--watch', '--watch-preserve-output', program], { env: environment, stdio: 'inherit' })
  const ended = once(child, 'exit')
  return {
    async stop() {
      child.kill('SIGTERM') // the watcher passes it on and waits for the program
      await ended
    },
  }
}
