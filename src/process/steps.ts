/** Work that can pause after each step. */
export type Steps<T> = Generator<void, T, void>

/** Does all steps at once. */
export function atOnce<T>(work: Steps<T>): T {
  let step = work.next()
  while (!step.done) step = work.next()
  return step.value
}
