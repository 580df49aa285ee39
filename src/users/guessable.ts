import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { passwordMinLength } from './limits.ts'

const product = 'razorbill'
const minWordLength = 3 // characters; shorter words occur in every password
const maxRepeats = 32
const listPath = join(import.meta.dirname, 'common-passwords.txt')

/** What an attacker knows about an account and its site. */
interface PasswordContext {
  username: string
  email: string
  appName: string
}

/**
 * Returns whether a password is easy to guess. That is one of the 10,000 most common ones of at
 * least 8 characters, or one character repeated up to 32 times. It is also one that is too short
 * without the names of its user, the site and the product.
 */
export async function isGuessable(password: string, { username, email, appName }: PasswordContext): Promise<boolean> {
  const text = comparable(password)
  if (text.length <= maxRepeats && new Set(text).size <= 1) return true
  const [mailbox = ''] = email.split('@')
  const words = [email, mailbox, username, appName, appName.replace(/\s+/g, ''), product]
  const rest = words
    .map(comparable)
    .filter((word) => word.length >= minWordLength)
    .reduce((remaining, word) => remaining.replaceAll(word, ''), text)
  if (rest !== text && rest.length < passwordMinLength) return true
  const common = `\n${await readFile(listPath, 'utf8')}` // read each time, because passwords are rarely set
  return [text, rest].some((candidate) => common.includes(`\n${candidate}\n`))
}

function comparable(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim()
}
