import type { Test } from 'tap'
import { codesContract } from '../../src/downloads/codes/contract.ts'
import { downloadsContract } from '../../src/downloads/contract.ts'
import { previewsContract } from '../../src/previews/contract.ts'
import { activityContract } from '../../src/shares/activity/contract.ts'
import { sharesContract } from '../../src/shares/contract.ts'
import { linksContract } from '../../src/shares/links/contract.ts'
import { recipientsContract } from '../../src/shares/recipients/contract.ts'
import { uploadsContract } from '../../src/uploads/contract.ts'
import type { sharing } from './sharing.ts'

type Person = ReturnType<typeof sharing>

const contracts = {
  ...sharesContract,
  ...linksContract,
  ...recipientsContract,
  ...activityContract,
  ...uploadsContract,
  ...codesContract,
  ...downloadsContract,
  ...previewsContract,
}

/**
 * Fails unless every call about one share refuses its owner and administrators with 404, and a
 * visitor who had unlocked it with 401 or 404.
 */
export async function isClosed(t: Test, id: string, file: string, people: { users: Person[]; unlocked: Person }): Promise<void> {
  const bytes = { 'content-type': 'application/octet-stream' }
  const bodies: Record<string, object> = {
    'POST /api/shares/:id/files': { name: 'b.txt', size: 1 },
    'POST /api/shares/:id/links': {},
    'PATCH /api/shares/:id/links/:link': { enabled: false },
    'PATCH /api/shares/:id': { expiration: 'never' },
    'PATCH /api/shares/:id/files/:fileId': { name: 'b.txt' },
    'POST /api/shares/:id/token': {},
    'POST /api/shares/:id/code/verify': { code: '123456' },
    'POST /api/shares/:id/selections': { files: [file] },
    'POST /api/shares/:id/adopt': {},
  }
  const calls = Object.keys(contracts).filter((key) => key.includes('/shares/:id'))
  t.ok(calls.length > 18)
  for (const key of calls) {
    const [method, path] = key.split(' ') as ['GET', string]
    const url = path
      .replace('/api/shares/:id', `/${id}`)
      .replace(':link', id)
      .replace(/:(fileId|recipientId)/, file)
      .replace(':number', '1')
    const isPart = key.startsWith('PUT')
    for (const person of [...people.users, people.unlocked]) {
      const { statusCode } = await person.call(method, url, isPart ? Buffer.from('a') : bodies[key], isPart ? bytes : {})
      t.ok(statusCode === 404 || (person === people.unlocked && statusCode === 401), `${key}: ${statusCode}`)
    }
  }
}
