/** Work that has begun. It is wrapped, because generators await a promise before they continue. */
export interface Task<T> {
  result: Promise<T>
}

/**
 * Generates the results of work in the order in which it was begun. Up to `ahead` pieces of work are
 * begun before their results are asked for.
 */
export async function* resultsInOrder<T>(work: AsyncGenerator<Task<T>, void>, ahead: number): AsyncGenerator<T, void> {
  const pending: Promise<IteratorResult<T, void>>[] = []
  for (;;) {
    while (pending.length < ahead) pending.push(resultOf(work.next()))
    const next = await pending.shift()
    if (!next || next.done) return
    yield next.value
  }
}

function resultOf<T>(next: Promise<IteratorResult<Task<T>, void>>): Promise<IteratorResult<T, void>> {
  const result = next.then(async (task) => (task.done ? task : { done: false as const, value: await task.value.result }))
  result.catch(() => {}) // `resultsInOrder` reports it in its turn
  return result
}
