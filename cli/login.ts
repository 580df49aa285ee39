import type { Static } from 'typebox'
import type { authContract } from '../src/auth/contract.ts'
import { forgetAccount, serverUrl, storeAccount, storedAccount } from './account.ts'
import { askOnce, type Prompt } from './ask.ts'
import { Failure, usage } from './failure.ts'
import type { Output } from './output.ts'
import { Server, textOf } from './server.ts'

const scopes = ['shares:read', 'shares:write'] as const
const patience = 30_000 // ms

/** `razorbill login`: asks for an API token, or makes one with username and password; `machine` is in its name. */
export async function login(given: readonly string[], machine: string, output: Output): Promise<void> {
  if (given.length > 1) throw usage('One server: razorbill login [URL]')
  await askOnce(async (asker) => {
    const before = storedAccount()?.url
    const said = given[0] ?? ((await asker.ask(`Address of the server${before ? ` [${before}]` : ''}: `)) || before)
    if (!said) throw usage('Without an address there is nowhere to sign in.')
    const url = await reach(serverUrl(said))
    const token =
      (await asker.askSecret('API token (empty: sign in with username and password): ')) || (await newToken(url, machine, asker))
    await checkToken(url, token)
    const path = storeAccount({ url, token })
    output.note(`Signed in to ${url}. The token is kept in ${path}.`)
    output.result([], { url })
  })
}

/** `razorbill logout`. */
export async function logout(given: readonly string[], output: Output): Promise<void> {
  if (given.length > 0) throw usage('razorbill logout stands alone.')
  const account = storedAccount()
  forgetAccount()
  if (account) output.note(`Forgotten. The token goes on being valid until you delete it: ${account.url}/account`)
  output.result([], { signedOut: account !== null })
}

/** The address that answers as Razorbill does; a move from http to https, or to another name, is followed here and nowhere else. */
async function reach(url: string): Promise<string> {
  const path = '/api/health'
  const answer = await new Server({ url }).fetch(url + path, { signal: AbortSignal.timeout(patience) })
  if (!answer.ok || !answer.url.endsWith(path) || (await textOf(answer)) !== 'OK') {
    throw new Failure('unreachable', 'no_razorbill', `${url} answers, but not as Razorbill does.`)
  }
  return answer.url.slice(0, -path.length)
}

async function newToken(url: string, machine: string, asker: Prompt): Promise<string> {
  const who = await asker.ask('Username or e-mail address: ')
  const password = await asker.askSecret('Password: ')
  const name = who.includes('@') ? { email: who } : { username: who }
  const server = new Server({ url })
  const accessToken = await secondStep(server, await server.call('POST /api/auth/signIn', { body: { ...name, password } }), asker)
  const session = new Server({ url, token: accessToken })
  const { token } = await session.call('POST /api/auth/tokens', {
    body: { name: `razorbill on ${machine}`.slice(0, 64), scopes: [...scopes] },
  })
  await session.call('POST /api/auth/signOut')
  return token
}

async function secondStep(server: Server, answer: SignedIn, asker: Prompt): Promise<string> {
  if ('accessToken' in answer) return answer.accessToken
  const totp = await asker.ask('Code of the authenticator, or a recovery code: ')
  return (await server.call('POST /api/auth/signIn/totp', { body: { totp, loginToken: answer.loginToken } })).accessToken
}

type SignedIn = Static<(typeof authContract)['POST /api/auth/signIn']['response']>

/** A token that is not good for what the commands do is told now, not later. */
async function checkToken(url: string, token: string): Promise<void> {
  try {
    await new Server({ url, token }).call('GET /api/shares', { querystring: {} })
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'unauthorized') throw error
    throw new Failure(error.ending, error.code, `${url} does not know this API token: it is wrong, was deleted or has expired.`)
  }
}
