import type { SharePage } from '../src/shares/contract.ts'
import { confirmDevice } from './confirm-device.ts'
import { Failure } from './failure.ts'
import type { Server } from './server.ts'
import type { StateFile } from './state-file.ts'
import type { VisitorKeys } from './visitor-keys.ts'

/** The token that a visitor needs, by the refusal of the server. */
const missingTokens: Record<string, 'device' | 'token'> = {
  email_code_required: 'device',
  share_password_required: 'token',
  share_token_required: 'token',
}

/**
 * Opens a share as a visitor, or as its owner without counting a view. The tokens are stored with
 * the download, so that resuming counts no second view and asks for no second code.
 * @throws Failure when the password or the code is wrong, or the share refuses visitors
 */
export async function unlock(server: Server, id: string, keys: VisitorKeys, state: StateFile): Promise<SharePage> {
  const use = (kind: 'device' | 'token', token: string) => server.cookies.set(`share_${id}_${kind}`, token)
  for (const kind of ['device', 'token'] as const) {
    const stored = state.getItem(kind)
    if (stored) use(kind, stored)
  }
  const obtained = new Set<string>()
  for (;;) {
    try {
      return await server.call('GET /api/shares/:id', { params: { id } })
    } catch (error) {
      const kind = error instanceof Failure ? missingTokens[error.code] : undefined
      if (!(error instanceof Failure) || !kind || obtained.has(kind)) throw error
      obtained.add(kind)
      const token = kind === 'device' ? await confirmDevice(server, id) : await visit(server, id, keys, error.code)
      use(kind, token)
      state.setItem(kind, token)
    }
  }
}

/** Counts a view, with the password if the share needs one, and returns the share token. */
async function visit(server: Server, id: string, keys: VisitorKeys, refusal: string): Promise<string> {
  const body = refusal === 'share_password_required' ? { password: await keys.serverPassword() } : {}
  return (await server.call('POST /api/shares/:id/token', { params: { id }, body })).token
}
