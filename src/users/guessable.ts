import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { passwordMinLength } from './limits.ts'

const product = 'razorbill'
const shortestWord = 3 // characters; shorter ones are in every password
const longestRepeat = 32 // times one character
const list = join(import.meta.dirname, 'common-passwords.txt')

/** What a guesser knows of an account and of the site that it is on. */
export interface PasswordContext {
  username: string
  email: string
  appName: string
}

/**
 * Returns whether a password is easy to guess: one of the 10,000 most common of its length, one character repeated up to 32 times, or too short without the names of its
 * user, the site and the product. The list is read only here, because passwords are rarely set.
 */
export async function isGuessable(password: string, { username, email, appName }: PasswordContext): Promise<boolean> {
  const text = comparable(password)
  if (text.length <= longestRepeat && new Set(text).size <= 1) return true
  const words = [email, email.split('@')[0]!, username, appName, appName.replace(/\s+/g, ''), product]
  const rest = words
    .map(comparable)
    .filter((word) => word.length >= shortestWord)
    .reduce((left, word) => left.replaceAll(word, ''), text)
  if (rest !== text && rest.length < passwordMinLength) return true
  const common = `\n${await readFile(list, 'utf8')}`
  return [text, rest].some((candidate) => common.includes(`\n${candidate}\n`))
}

function comparable(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim()
}
