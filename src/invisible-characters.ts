// Names may come from strangers. Characters that turn the direction of text, or that have no width, can make one name look like another.
const invisible = '\\u061c\\u115f\\u1160\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0'
const anyInvisible = new RegExp(`[${invisible}]`, 'g')
/** Scripts that need joiners, and emoji, come after Latin, Greek and Cyrillic, which need none. */
const joinable = /[\u0590-\uffff]/
const isInvisible = new RegExp(`[${invisible}]`)
const blank = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** Returns a name with its direction marks and zero-width characters made visible: `[U+202E]` for one. */
export function showInvisible(text: string): string {
  return replaceInvisible(text, (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`)
}

/** Returns a name without its direction marks and zero-width characters. */
export function removeInvisible(text: string): string {
  return replaceInvisible(text, () => '')
}

/** Whether a text has only white space and characters that are not shown. */
export function isBlank(text: string): boolean {
  return blank.test(text)
}

/** Returns a text without white space at its ends; null where nothing of it would be seen. */
export function visibleText(text: string | null | undefined): string | null {
  return text === null || text === undefined || isBlank(text) ? null : text.trim()
}

function replaceInvisible(text: string, replacement: (character: string) => string): string {
  return text.replace(anyInvisible, (character, at: number) => (isNeededJoiner(text, at) ? character : replacement(character)))
}

/** Whether the character is one of the two joiners, and stands between two characters that it can join: in Persian, scripts of India, and emoji. */
function isNeededJoiner(text: string, at: number): boolean {
  if (text[at] !== '\u200c' && text[at] !== '\u200d') return false
  return [text[at - 1], text[at + 1]].every((next) => next !== undefined && joinable.test(next) && !isInvisible.test(next))
}
