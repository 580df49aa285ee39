import type { SharePage } from '../src/shares/contract.ts'
import type { Bytes } from '../uploader/encryption/bytes.ts'
import { EncryptionError } from '../uploader/encryption/error.ts'
import { type ShareKey, shareKeyOf } from '../uploader/encryption/keys.ts'
import { linkKeyIn } from '../uploader/encryption/link-key.ts'
import { askOnce } from './ask.ts'
import { Failure, usage } from './failure.ts'

/** The key in a share's link and the share's password, which is asked for at most once. */
export class VisitorKeys {
  readonly #linkKey: Bytes | null
  readonly #option: string | undefined
  #password: Promise<string> | undefined
  #protectedKey: Promise<ShareKey> | undefined

  /** @throws Failure `usage`: the key in the link is incomplete */
  constructor(link: string, passwordOption: string | undefined) {
    this.#linkKey = keyIn(link)
    this.#option = passwordOption
  }

  /** Returns what the server wants as the share's password. That of an encrypted share is not sent. */
  async serverPassword(): Promise<string> {
    if (!this.#linkKey) return this.#askPassword()
    return (await this.#keyWithPassword(this.#linkKey)).gatePassword ?? ''
  }

  /** Returns the key of an encrypted share. @throws Failure `key_missing` */
  async keyFor({ hasPassword }: Pick<SharePage, 'hasPassword'>): Promise<ShareKey> {
    if (this.#linkKey) return hasPassword ? this.#keyWithPassword(this.#linkKey) : shareKeyOf(this.#linkKey)
    throw new Failure('refused', 'key_missing', "This share is encrypted. Use its whole link, in quotes: 'https://…#k=…'")
  }

  #keyWithPassword(linkKey: Bytes): Promise<ShareKey> {
    this.#protectedKey ??= this.#askPassword().then((password) => shareKeyOf(linkKey, password))
    return this.#protectedKey
  }

  #askPassword(): Promise<string> {
    this.#password ??= passwordFrom(this.#option)
    return this.#password
  }
}

function keyIn(link: string): Bytes | null {
  if (!link.includes('#')) return null // a bare id may look like a key
  try {
    return linkKeyIn(link)
  } catch (error) {
    throw error instanceof EncryptionError ? usage(error.message) : error
  }
}

async function passwordFrom(password: string | undefined): Promise<string> {
  if (password) return password
  if (password === undefined && !process.stdin.isTTY) {
    throw new Failure('refused', 'share_password_required', 'This share needs a password: --password')
  }
  return askOnce((prompt) => prompt.askSecret('Password of the share: '))
}
