export interface TransportResponse {
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

export interface PutOptions {
  /** PUT if absent. */
  method?: 'PUT' | 'POST'
  signal: AbortSignal
  /** Receives the number of bytes sent so far. */
  onProgress(sent: number): void
}

/** Sends requests to the server. Both promises reject when no response comes, for any reason. */
export interface Transport {
  call(call: Call, signal: AbortSignal): Promise<TransportResponse>
  /** Sends raw bytes. */
  put(path: string, bytes: Blob, sending: PutOptions): Promise<TransportResponse>
}

/**
 * Parses `Retry-After` (RFC 9110, 10.2.3), which is seconds or a date, into milliseconds; null when
 * absent or invalid.
 */
export function parseRetryAfter(value: string | null, now = Date.now()): number | null {
  if (!value) return null
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(milliseconds) ? null : Math.max(0, milliseconds)
}

/** Parses JSON; null when the text is not JSON, such as the error page of a proxy. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
