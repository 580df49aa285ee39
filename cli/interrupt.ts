import { Failure } from './failure.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Turns Ctrl-C and its like into a Failure that says how to go on; `advice` may say it otherwise. */
export function onInterrupt(advice = 'Go on with: razorbill resume') {
  let stop: () => void = () => {}
  const happens = new Promise<never>((_, reject) => {
    stop = () => reject(new Failure('interrupted', 'interrupted', `Interrupted. ${advice}`))
  })
  happens.catch(() => {}) // nobody may be waiting
  for (const signal of signals) process.once(signal, stop)
  return {
    happens,
    forget: () => {
      for (const signal of signals) process.off(signal, stop)
    },
  }
}
