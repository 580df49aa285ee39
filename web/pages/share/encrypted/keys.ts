import type { Bytes } from '../../../../uploader/encryption/bytes.ts'
import type { ShareKey } from '../../../../uploader/encryption/keys.ts'
import { deriveKey } from '../../../lib/encryption/derive-key.ts'
import { unlockShare } from '../share-access.ts'

/** The keys of shares with a password that were unlocked on this page, so that it is entered once. */
const unlocked = new Map<string, ShareKey>()

/**
 * Unlocks an encrypted share, whose server knows something derived from the password and the key,
 * but not the password.
 *
 * @throws {ApiError} as `unlockShare`
 */
export async function unlockEncrypted(id: string, linkKey: Bytes, password: string): Promise<void> {
  const key = await deriveKey(linkKey, password)
  await unlockShare(id, key.gatePassword ?? password)
  unlocked.set(id, key)
}

/** Returns the key of a share that was unlocked with its password on this page. */
export const unlockedKey = (id: string): ShareKey | null => unlocked.get(id) ?? null
