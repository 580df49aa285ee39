const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789' // without similar ones such as I and l

/** Returns random letters and digits of equal probability, without similar ones such as I and l. */
export function randomText(length: number): string {
  const usable = 256 - (256 % letters.length)
  let text = ''
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < usable && text.length < length) text += letters[byte % letters.length]
    }
  }
  return text
}
