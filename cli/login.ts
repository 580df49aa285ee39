import type { Static } from 'typebox'
import type { authContract } from '../src/auth/contract.ts'
import { forgetAccount, serverUrl, storeAccount, storedAccount } from './account.ts'
import { askOnce, type Prompt } from './ask.ts'
import { Failure, usage } from './failure.ts'
import type { Output } from './output.ts'
import { Server, textOf } from './server.ts'

const scopes = ['shares:read', 'shares:write'] as const
const timeout = 30_000 // ms

/**
 * `razorbill login`: asks for an API token, or creates one with username and password; its name
 * contains `machine`.
 */
export async function login(positionals: readonly string[], machine: string, output: Output): Promise<void> {
  if (positionals.length > 1) throw usage('One server: razorbill login [URL]')
  await askOnce(async (prompt) => {
    const before = storedAccount()?.url
    const address = positionals[0] ?? ((await prompt.ask(`Address of the server${before ? ` [${before}]` : ''}: `)) || before)
    if (!address) throw usage('An address is needed to sign in.')
    const url = await reach(serverUrl(address))
    const token =
      (await prompt.askSecret('API token (empty: sign in with username and password): ')) || (await newToken(url, machine, prompt))
    await checkToken(url, token)
    const path = storeAccount({ url, token })
    output.note(`Signed in to ${url}. The token is kept in ${path}.`)
    output.result([], { url })
  })
}

/** `razorbill logout`: deletes the stored token. */
export async function logout(positionals: readonly string[], output: Output): Promise<void> {
  if (positionals.length > 0) throw usage('razorbill logout takes no arguments.')
  const account = storedAccount()
  forgetAccount()
  if (account) output.note(`Signed out. The token stays valid until you delete it: ${account.url}/account`)
  output.result([], { signedOut: account !== null })
}

/**
 * Returns the server's URL after redirects, such as from http to https. No other request follows
 * redirects.
 */
async function reach(url: string): Promise<string> {
  const path = '/api/health'
  const response = await new Server({ url }).fetch(url + path, { signal: AbortSignal.timeout(timeout) })
  if (!response.ok || !response.url.endsWith(path) || (await textOf(response)) !== 'OK') {
    throw new Failure('unreachable', 'no_razorbill', `${url} responds, but not as Razorbill does.`)
  }
  return response.url.slice(0, -path.length)
}

async function newToken(url: string, machine: string, prompt: Prompt): Promise<string> {
  const username = await prompt.ask('Username or email address: ')
  const password = await prompt.askSecret('Password: ')
  const name = username.includes('@') ? { email: username } : { username }
  const server = new Server({ url })
  const accessToken = await secondStep(server, await server.call('POST /api/auth/signIn', { body: { ...name, password } }), prompt)
  const session = new Server({ url, token: accessToken })
  const { token } = await session.call('POST /api/auth/tokens', {
    body: { name: `razorbill on ${machine}`.slice(0, 64), scopes: [...scopes] },
  })
  await session.call('POST /api/auth/signOut')
  return token
}

async function secondStep(server: Server, signIn: SignInResponse, prompt: Prompt): Promise<string> {
  if ('accessToken' in signIn) return signIn.accessToken
  const totp = await prompt.ask('Code of the authenticator, or a recovery code: ')
  return (await server.call('POST /api/auth/signIn/totp', { body: { totp, loginToken: signIn.loginToken } })).accessToken
}

type SignInResponse = Static<(typeof authContract)['POST /api/auth/signIn']['response']>

/** @throws Failure when the token is not accepted or lacks the scopes that the commands need */
async function checkToken(url: string, token: string): Promise<void> {
  try {
    await new Server({ url, token }).call('GET /api/shares', { querystring: {} })
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'unauthorized') throw error
    throw new Failure(error.ending, error.code, `${url} does not know this API token: it is wrong, was deleted or has expired.`)
  }
}
