import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { programEnv } from './server-program.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))

export interface Result {
  code: number
  output: string
  errors: string
}

/** Runs `npm run admin` with almost nothing from our environment. */
export function adminCommand(environment: Record<string, string>, ...words: string[]): Promise<Result> {
  const env = { ...programEnv, HOME: process.env.HOME, ...environment }
  return new Promise((resolve) => {
    execFile(process.execPath, ['src/commands/admin.ts', ...words], { cwd: project, env }, (error, output, errors) =>
      resolve({ code: error ? Number(error.code) : 0, output, errors }),
    )
  })
}

/** The new password in its output. */
export const passwordIn = ({ output }: Result) => /^The new password of \w+: (\S{20})$/m.exec(output)![1]!
