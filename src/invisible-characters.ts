// Names may come from strangers. Direction marks and zero-width characters can make one name look
// like another.
const invisible = '\\u061c\\u115f\\u1160\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0'
const anyInvisible = new RegExp(`[${invisible}]`, 'g')
/**
 * Emoji and scripts that need joiners. They come after Latin, Greek and Cyrillic, which need none.
 */
const joinable = /[\u0590-\uffff]/
const isInvisible = new RegExp(`[${invisible}]`)
const blank = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** Returns a name with visible direction marks and zero-width characters, such as `[U+202E]`. */
export function showInvisible(text: string): string {
  return replaceInvisible(text, (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`)
}

/** Returns a name without its direction marks and zero-width characters. */
export function removeInvisible(text: string): string {
  return replaceInvisible(text, () => '')
}

/** Returns whether a text has only white space and invisible characters. */
export function isBlank(text: string): boolean {
  return blank.test(text)
}

/** Returns a trimmed text; null if it has no visible characters. */
export function visibleText(text: string | null | undefined): string | null {
  return text === null || text === undefined || isBlank(text) ? null : text.trim()
}

function replaceInvisible(text: string, replacement: (character: string) => string): string {
  return text.replace(anyInvisible, (character, index: number) => (isNeededJoiner(text, index) ? character : replacement(character)))
}

/**
 * Returns whether a joiner is between two characters that it can join, as in Persian, Indic scripts
 * and emoji.
 */
function isNeededJoiner(text: string, index: number): boolean {
  if (text[index] !== '\u200c' && text[index] !== '\u200d') return false
  return [text[index - 1], text[index + 1]].every((next) => next !== undefined && joinable.test(next) && !isInvisible.test(next))
}
