import type { FastifyRequest } from 'fastify'
import { publicPart, readSettings } from './config/service.ts'
import type { PublicSettings } from './config/settings.ts'
import type { Context } from './context.ts'
import { appUrl } from './http/app-url.ts'
import { callerOf } from './http/guards.ts'
import type { PagePreferences } from './http/page-html.ts'
import { availableProviders } from './oauth/client.ts'
import type { Provider } from './oauth/limits.ts'
import type { UserDTO } from './users/contract.ts'
import { userById } from './users/queries.ts'
import { toUserDTO } from './users/service.ts'

/** What the server puts into every page, so that it starts without another call. `settings` is null when the database cannot be reached. */
export interface StartData extends PagePreferences {
  user: UserDTO | null
  /** ISO 8601; null for a visitor. */
  accessTokenExpiresAt: string | null
  settings: PublicSettings | null
  /** Whose accounts can sign in here. */
  socialProviders: Provider[]
}

/** Reads what a page needs to start: who is asking, and the public configuration. */
export async function startData(ctx: Pick<Context, 'db' | 'env'>, request: FastifyRequest) {
  const [settings, caller] = await Promise.all([readSettings(ctx), callerOf(request)])
  const user = caller && (await userById(ctx.db, caller.userId))
  const data: Omit<StartData, keyof PagePreferences> = {
    user: user ? toUserDTO(user) : null,
    accessTokenExpiresAt: (user && caller.expiresAt?.toISOString()) ?? null,
    settings: publicPart(settings),
    socialProviders: availableProviders(settings),
  }
  return {
    appName: settings['general.appName'],
    baseUrl: appUrl(ctx.env, settings['general.appUrl'], request),
    icons: iconsOf(settings['general.logo']),
    language: settings['general.language'],
    data,
  }
}

/** What the page about the API says of this installation. */
export async function docsSurroundings(ctx: Pick<Context, 'db' | 'env'>, request: FastifyRequest) {
  const settings = await readSettings(ctx)
  return { appName: settings['general.appName'], baseUrl: appUrl(ctx.env, settings['general.appUrl'], request) }
}

function iconsOf(version: string) {
  const address = (size: number) => `/api/logo/${size}.png?v=${version}`
  return version ? { 32: address(32), 180: address(180), 192: address(192), 512: address(512) } : null
}
