import type { FastifyInstance } from 'fastify'
import type { SettingKey } from '../../../src/config/settings.ts'
import type { Headers } from '../people/people.ts'

export interface Change {
  key: string
  value: unknown
}
/** A setting as administrators see it. */
export interface Shown extends Record<string, unknown> {
  key: string
  value: string
}

/** An administrator's calls about settings, in short form. */
export function settingsCalls(app: FastifyInstance, headers: Partial<Headers>) {
  return {
    patch: (changes: unknown) => app.inject({ method: 'PATCH', url: '/api/configs/admin', headers, payload: changes as object }),
    /** Throws when the server refuses the call. */
    async set(...changes: Change[]): Promise<void> {
      const answer = await this.patch(changes)
      if (answer.statusCode !== 200) throw new Error(answer.body)
    },
    all: () => app.inject({ url: '/api/configs/admin', headers }),
    list: (category: string) => app.inject({ url: `/api/configs/admin/${category}`, headers }),
    async shown(key: string): Promise<Shown> {
      const answer = await this.list(key.split('.')[0]!)
      return answer.json().find((variable: Shown) => variable.key === key)
    },
  }
}

/** The two settings that depend on each other. */
export const both = [
  { key: 'smtp.username', value: 'u' },
  { key: 'smtp.password', value: 'p' },
]
/** Other settings that a setting requires. */
export const prerequisites: Partial<Record<SettingKey, Change[]>> = {
  'smtp.enabled': [
    { key: 'smtp.host', value: 'mail.example.com' },
    { key: 'smtp.port', value: 587 },
    { key: 'smtp.email', value: 'a@example.com' },
    { key: 'general.appUrl', value: 'https://files.example.com' },
  ],
  'smtp.username': both,
  'smtp.password': both,
}
prerequisites['email.enableShareEmailRecipients'] = [...prerequisites['smtp.enabled']!, { key: 'smtp.enabled', value: true }]
prerequisites['share.requireVerifiedEmail'] = prerequisites['email.enableShareEmailRecipients']
for (const name of ['github', 'google', 'microsoft', 'discord', 'oidc'] as const) {
  prerequisites[`oauth.${name}-enabled`] = [
    { key: `oauth.${name}-clientId`, value: 'id' },
    { key: `oauth.${name}-clientSecret`, value: 'secret' },
    ...(name === 'oidc' ? [{ key: 'oauth.oidc-discoveryUri', value: 'https://id.example.com/.well-known/openid-configuration' }] : []),
  ]
}
prerequisites['oauth.disablePassword'] = [...prerequisites['oauth.github-enabled']!, { key: 'oauth.github-enabled', value: true }]
