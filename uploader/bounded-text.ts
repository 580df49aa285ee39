/** The server sent more than the limit. */
export class TooLong extends Error {}

/**
 * Returns a response's body as text.
 * @throws TooLong when it has more than `maxBytes`; the rest is not read.
 */
export async function boundedText(response: Response, maxBytes: number): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (let read = await reader?.read(); reader && read && !read.done; read = await reader.read()) {
    bytes += read.value.byteLength
    if (bytes > maxBytes) {
      await reader.cancel()
      throw new TooLong(`more than ${maxBytes} bytes`)
    }
    text += decoder.decode(read.value, { stream: true })
  }
  return text + decoder.decode()
}
