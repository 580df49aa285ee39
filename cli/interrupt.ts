import { Failure } from './failure.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Turns SIGINT, SIGTERM and SIGHUP into a Failure with `advice` how to continue. */
export function onInterrupt(advice = 'Continue with: razorbill resume') {
  let stop: () => void = () => {}
  const happens = new Promise<never>((_, reject) => {
    stop = () => reject(new Failure('interrupted', 'interrupted', `Interrupted. ${advice}`))
  })
  happens.catch(() => {}) // it may reject before it is awaited
  for (const signal of signals) process.once(signal, stop)
  return {
    happens,
    forget: () => {
      for (const signal of signals) process.off(signal, stop)
    },
  }
}
