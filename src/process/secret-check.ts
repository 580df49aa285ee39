import { isSecret, isSettingKey } from '../config/settings.ts'
import type { Sealer } from '../crypto/sealed.ts'
import type { Db } from '../db/schema.ts'
import { StartError } from '../errors.ts'

const MAX_USERS = 1_000 // whose secrets are tried; the newest first

/**
 * Ensures that SECRET_KEY is the one that this database was used with.
 * @throws {StartError} the database has sealed secrets, and the key opens none of them
 */
export async function checkSecretKey(db: Db, sealer: Sealer): Promise<void> {
  const sealed = await sealedSecrets(db)
  if (sealed.length === 0 || sealed.some((secret) => opens(sealer, secret))) return
  throw new StartError(
    `SECRET_KEY is another one than this database was used with: it opens none of its ${sealed.length} encrypted secrets. ` +
      'Set the former SECRET_KEY. If it is lost, delete these secrets with: npm run admin -- forget-secrets',
  )
}

async function sealedSecrets(db: Db): Promise<string[]> {
  const settings = await db.selectFrom('setting').select(['key', 'value']).execute()
  const users = await db
    .selectFrom('user')
    .select('totpSecret')
    .where('totpSecret', 'is not', null)
    .orderBy('createdAt', 'desc')
    .limit(MAX_USERS)
    .execute()
  const ofSettings = settings.flatMap(({ key, value }) => (isSettingKey(key) && isSecret(key) && value ? [String(value)] : []))
  return [...ofSettings, ...users.flatMap(({ totpSecret }) => totpSecret ?? [])]
}

function opens(sealer: Sealer, sealed: string): boolean {
  try {
    sealer.open(sealed)
    return true
  } catch {
    return false
  }
}
