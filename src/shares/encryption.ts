import type { Settings } from '../config/settings.ts'
import { AppError } from '../errors.ts'
import { refusedField } from '../http/error-handler.ts'
import type { NewShare, ShareChanges } from './contract.ts'
import type { Share } from './queries.ts'

type EncryptionSetting = Pick<Settings, 'share.encryption'>

/**
 * Checks that a share may be encrypted, or not, and that an encrypted one tells the server nothing
 * readable. `isSent` is whether it is sent through a reverse share, whose owner has no key.
 * @throws {AppError} encryption_required, encryption_disabled
 * @throws {AppError} validation_failed: with the field that must be absent
 */
export function checkEncryption({ 'share.encryption': mode }: EncryptionSetting, input: NewShare, isSent: boolean): void {
  if (!input.encrypted) {
    if (mode === 'always') throw new AppError('encryption_required')
    return
  }
  if (mode === 'off') throw new AppError('encryption_disabled')
  if (isSent) throw refusedField('encrypted', 'is not possible through an upload link', 'const')
  if (input.kind === 'text') throw refusedField('kind', 'is in the document of an encrypted share', 'const')
  refuseReadable(input)
}

/**
 * Checks that changes of an encrypted share tell the server nothing readable. Its password is part
 * of its key, so it can't be changed.
 * @throws {AppError} validation_failed: with the field that must be absent
 */
export function checkChanges(
  { encrypted }: Pick<Share, 'encrypted'>,
  changes: Pick<ShareChanges, 'name' | 'description' | 'password'>,
): void {
  if (!encrypted) return
  refuseReadable(changes)
  if (changes.password !== undefined) throw refusedField('password', 'is part of the key of an encrypted share', 'const')
}

/**
 * Checks that files may be added to a share.
 * @throws {AppError} encryption_required: the site accepts only encrypted uploads
 */
export function checkUpload({ 'share.encryption': mode }: EncryptionSetting, { encrypted }: Pick<Share, 'encrypted'>): void {
  if (mode === 'always' && !encrypted) throw new AppError('encryption_required')
}

function refuseReadable({ name, description }: Pick<NewShare, 'name' | 'description'>): void {
  if (name) throw refusedField('name', 'is in the document of an encrypted share', 'const')
  if (description) throw refusedField('description', 'is in the document of an encrypted share', 'const')
}
