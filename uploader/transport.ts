export interface Answer {
  status: number
  /** Parsed JSON; null when there was none. */
  body: unknown
  /** From `Retry-After`, in milliseconds. */
  retryAfter: number | null
}

export interface Call {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  body?: unknown
}

export interface Sending {
  signal: AbortSignal
  /** Told how many bytes of the body have left, as they leave. */
  onProgress(sent: number): void
}

/** The way to the server. Both promises reject when no answer came, whatever the reason. */
export interface Transport {
  call(call: Call, signal: AbortSignal): Promise<Answer>
  /** PUT of raw bytes. */
  put(path: string, bytes: Blob, sending: Sending): Promise<Answer>
}

/** Reads `Retry-After` (RFC 9110, 10.2.3): seconds or a date; null when absent or unreadable. */
export function parseRetryAfter(value: string | null, now = Date.now()): number | null {
  if (!value) return null
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(milliseconds) ? null : Math.max(0, milliseconds)
}

/** Null when the text is not JSON, as the page of a proxy is not. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
