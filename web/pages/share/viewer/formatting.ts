/** A text that is formatted apart from the page. */
export interface Unformatted {
  form: 'markdown' | 'code'
  /** The name of its file. */
  name: string
  text: string
}

/**
 * Milliseconds after which formatting is given up: some texts keep the programs that do it busy for
 * hours.
 */
const patience = 5_000

/**
 * Returns the HTML of a text, which contains no HTML of the text and no script. Null if it stays
 * plain: its language is not known, or it takes too long. The page stays usable meanwhile.
 */
export function formatText(unformatted: Unformatted, signal: AbortSignal): Promise<string | null> {
  const worker = new Worker(new URL('./format-worker.ts', import.meta.url), { type: 'module' })
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const timer = setTimeout(resolve, patience, null)
  worker.addEventListener('message', ({ data }: MessageEvent<string | null>) => resolve(data))
  worker.addEventListener('error', () => resolve(null))
  signal.addEventListener('abort', () => resolve(null))
  worker.postMessage(unformatted)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.terminate()
  })
}
