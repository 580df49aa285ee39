/** Work that has begun. It is wrapped, because generators await a promise before they continue. */
export interface Begun<T> {
  result: Promise<T>
}

/**
 * Generates the results of work in the order in which it was begun. Up to `ahead` pieces of work are
 * begun before their results are asked for.
 */
export async function* inOrder<T>(work: AsyncGenerator<Begun<T>, void>, ahead: number): AsyncGenerator<T, void> {
  const begun: Promise<IteratorResult<T, void>>[] = []
  for (;;) {
    while (begun.length < ahead) begun.push(resultOf(work.next()))
    const next = await begun.shift()
    if (!next || next.done) return
    yield next.value
  }
}

function resultOf<T>(next: Promise<IteratorResult<Begun<T>, void>>): Promise<IteratorResult<T, void>> {
  const result = next.then(async (begun) => (begun.done ? begun : { done: false as const, value: await begun.value.result }))
  result.catch(() => {}) // `inOrder` reports it in its turn
  return result
}
