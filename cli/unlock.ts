import type { SharePage } from '../src/shares/contract.ts'
import { Failure } from './failure.ts'
import type { Server } from './server.ts'
import type { StateFile } from './state-file.ts'
import type { VisitorKeys } from './visitor-keys.ts'

/**
 * Opens a share as a visitor, or as its owner without counting a view. The share token is stored
 * with the download, so that resuming does not count a second view.
 * @throws Failure when the password is wrong or the share refuses visitors
 */
export async function unlock(server: Server, id: string, keys: VisitorKeys, state: StateFile): Promise<SharePage> {
  const storedToken = state.getItem('token')
  if (storedToken) server.cookies.set(`share_${id}_token`, storedToken)
  try {
    return await getShare(server, id)
  } catch (error) {
    if (!(error instanceof Failure) || !['share_token_required', 'share_password_required'].includes(error.code)) throw error
    const needsPassword = error.code === 'share_password_required'
    const body = needsPassword ? { password: await keys.serverPassword() } : {}
    const { token } = await server.call('POST /api/shares/:id/token', { params: { id }, body })
    server.cookies.set(`share_${id}_token`, token)
    state.setItem('token', token)
    return getShare(server, id)
  }
}

const getShare = (server: Server, id: string) => server.call('GET /api/shares/:id', { params: { id } })
