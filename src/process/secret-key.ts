import { randomBytes, randomUUID } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../errors.ts'

/**
 * Returns the secret in `dataDir`/secret-key, which is created once: 256 random bits, readable only
 * by the owner. The file is complete and on disk before it gets its name. Requires the lock on
 * `dataDir`.
 * @throws {StartError} the file exists but is not usable
 */
export async function loadSecretKey(dataDir: string): Promise<string> {
  const path = join(dataDir, 'secret-key')
  const existing = await readSecret(path)
  if (existing !== null) return existing
  const secret = randomBytes(32).toString('base64')
  const unfinished = `${path}.${randomUUID()}`
  const file = await open(unfinished, 'wx', 0o600)
  try {
    await file.writeFile(`${secret}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
  return secret
}

async function readSecret(path: string): Promise<string | null> {
  try {
    const secret = (await readFile(path, 'utf8')).trim()
    if (secret.length >= 32) return secret
    throw new StartError(`${path} does not hold a secret of at least 32 characters. Put it back from a backup, or set SECRET_KEY.`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    if (error instanceof StartError) throw error
    throw new StartError(`Cannot read ${path}: ${(error as Error).message}.`)
  }
}
