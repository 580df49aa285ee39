const zeros = [0x0660, 0x06f0, 0xff10] // Arabic, Persian and full-width

/** Returns the digits of a text as `0` to `9`, whatever keyboard they were entered with. */
export function digitsIn(text: string): string {
  return Array.from(text, (character) => {
    const zero = zeros.find((first) => character.charCodeAt(0) >= first && character.charCodeAt(0) <= first + 9)
    return zero === undefined ? character : String(character.charCodeAt(0) - zero)
  })
    .join('')
    .replace(/\D/g, '')
}
