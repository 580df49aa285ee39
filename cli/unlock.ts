import type { SharePage } from '../src/shares/contract.ts'
import { askOnce } from './ask.ts'
import { Failure } from './failure.ts'
import type { Server } from './server.ts'
import type { StateFile } from './state-file.ts'

/**
 * Opens a share as its visitor, or as its owner without counting a view. What unlocks it is kept with the download, so that going on is no
 * second view. Throws a Failure for a wrong password and all that keeps visitors out.
 */
export async function unlock(server: Server, id: string, password: string | undefined, state: StateFile): Promise<SharePage> {
  const kept = state.getItem('token')
  if (kept) server.cookies.set(`share_${id}_token`, kept)
  try {
    return await look(server, id)
  } catch (error) {
    if (!(error instanceof Failure) || !['share_token_required', 'share_password_required'].includes(error.code)) throw error
    const needed = error.code === 'share_password_required'
    const body = needed ? { password: await passwordFrom(password) } : {}
    const { token } = await server.call('POST /api/shares/:id/token', { params: { id }, body })
    server.cookies.set(`share_${id}_token`, token)
    state.setItem('token', token)
    return look(server, id)
  }
}

const look = (server: Server, id: string) => server.call('GET /api/shares/:id', { params: { id } })

async function passwordFrom(said: string | undefined): Promise<string> {
  if (said) return said
  if (said === undefined && !process.stdin.isTTY) {
    throw new Failure('refused', 'share_password_required', 'This share needs a password: --password')
  }
  return askOnce((asker) => asker.askSecret('Password of the share: '))
}
