import type { FastifyInstance } from 'fastify'

/** The headers that this person's browser sends. */
export interface Headers extends Record<string, string> {
  cookie: string
}

/** Every person's default password. */
export const password = 'correct horse battery'

/** The fields of a user in responses, sorted. */
export const userFields = ['createdAt', 'email', 'emailVerified', 'hasPassword', 'id', 'isAdmin', 'language', 'totpVerified', 'username']

/**
 * Creates an account `{name}@example.com` and signs it in. The first one of a database is the
 * administrator's.
 */
export async function signUp(app: FastifyInstance, name: string): Promise<Headers> {
  const answer = await app.inject({
    method: 'POST',
    url: '/api/auth/signUp',
    payload: { username: name, email: `${name}@example.com`, password },
  })
  if (answer.statusCode !== 201) throw new Error(`${name} could not sign up: ${answer.body}`)
  return headersOf(answer)
}

/** The cookies that a response set, as the next request sends them. */
export function headersOf({ cookies }: { cookies: { name: string; value: string }[] }): Headers {
  return { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') }
}
