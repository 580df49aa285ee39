import type { FastifyInstance } from 'fastify'

/** What a browser of this person sends along. */
export interface Headers extends Record<string, string> {
  cookie: string
}

/** Every person's password, where none is given. */
export const password = 'correct horse battery'

/** Makes an account `{name}@example.com` and signs it in; the first one of a database is the administrator's. */
export async function signUp(app: FastifyInstance, name: string): Promise<Headers> {
  const answer = await app.inject({
    method: 'POST',
    url: '/api/auth/signUp',
    payload: { username: name, email: `${name}@example.com`, password },
  })
  if (answer.statusCode !== 201) throw new Error(`${name} could not sign up: ${answer.body}`)
  return headersOf(answer)
}

/** The cookies that an answer set, as the next request sends them. */
export function headersOf({ cookies }: { cookies: { name: string; value: string }[] }): Headers {
  return { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') }
}
