import { randomBytes, randomUUID } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../errors.ts'

/**
 * The secret of this installation: made once, 256 bit from the CSPRNG, and kept in `dataDir`/secret-key for its owner alone. It is written whole and
 * on disk before it has its name. Needs the lock on `dataDir`; throws StartError when the file is there but unusable.
 */
export async function loadSecretKey(dataDir: string): Promise<string> {
  const path = join(dataDir, 'secret-key')
  const kept = await readKept(path)
  if (kept !== null) return kept
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

async function readKept(path: string): Promise<string | null> {
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
