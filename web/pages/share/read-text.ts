/** Bytes of a text that are shown. */
export const shownBytesMax = 1_000_000

/**
 * Reads the first megabyte of a text of `size` bytes. UTF-16 is recognized by its byte order mark,
 * everything else is decoded as UTF-8.
 */
export async function readText(address: string, size: number, signal: AbortSignal): Promise<string> {
  if (size === 0) return '' // an empty file has no range
  const response = await fetch(address, { headers: { range: `bytes=0-${shownBytesMax - 1}` }, signal })
  if (!response.ok) throw new Error(`${response.status}`)
  const bytes = new Uint8Array(await response.arrayBuffer()).subarray(0, shownBytesMax)
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)
  const encoding = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8'
  return new TextDecoder(encoding).decode(bytes)
}
