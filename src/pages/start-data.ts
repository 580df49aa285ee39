import type { FastifyRequest } from 'fastify'
import { needsSetupCode } from '../auth/setup-code.ts'
import { publicPart, readSettings, readSettingsOfPage } from '../config/service.ts'
import type { Settings } from '../config/settings.ts'
import type { Context } from '../context.ts'
import type { StartData } from '../contract.ts'
import type { ShareStart } from '../downloads/contract.ts'
import { shareStart } from '../downloads/service.ts'
import { appUrl } from '../http/app-url.ts'
import { callerOf } from '../http/guards.ts'
import { availableProviders } from '../oauth/client.ts'
import { userById } from '../users/queries.ts'
import { toUserDTO } from '../users/service.ts'
import type { PagePreferences } from './page-html.ts'
import { palettesOf } from './palette.ts'

/** Reads the start data of a page: the signed-in user, the public settings and the share. */
export async function startData(ctx: Context, request: FastifyRequest) {
  const [settings, caller] = await Promise.all([readSettingsOfPage(ctx), callerOf(request)])
  const user = caller && (await userById(ctx.db, caller.userId))
  const share = await shareOf(ctx, request, settings) // after callerOf, because both need the caller
  const setupCodeRequired = !user && (await needsSetupCode(ctx, request))
  const palettes = palettesOf(settings['general.accentColor'])
  const data: Omit<StartData, keyof PagePreferences> = {
    user: user ? toUserDTO(user) : null,
    accessTokenExpiresAt: (user && caller.expiresAt?.toISOString()) ?? null,
    secondFactorRequired: caller?.needsSecondFactor ?? false,
    settings: publicPart(settings),
    palettes,
    setupCodeRequired,
    socialProviders: availableProviders(settings),
    share,
  }
  return {
    appName: settings['general.appName'],
    baseUrl: appUrl(ctx.env, settings['general.appUrl'], request),
    icons: iconsOf(settings['general.logo']),
    palettes,
    showBird: settings['general.showBird'],
    language: settings['general.language'],
    ownLanguage: user?.language ?? null,
    data,
  }
}

/**
 * Reads the share if a browser displays its page. Browsers mark such requests over https and on
 * localhost, even through a service worker (Fetch Metadata Request Headers, 2.3).
 */
async function shareOf(ctx: Context, request: FastifyRequest, settings: Settings): Promise<ShareStart | null> {
  const isShown = request.routeOptions.url === '/share/:id' && request.headers['sec-fetch-mode'] === 'navigate'
  if (!isShown) return null
  const { folder } = request.query as { folder?: unknown }
  const { id } = request.params as { id: string }
  return shareStart(ctx, request, id, typeof folder === 'string' ? folder : '', settings)
}

/** Returns the site info for the page of the API. */
export async function docsSiteInfo(ctx: Pick<Context, 'db' | 'env'>, request: FastifyRequest) {
  const settings = await readSettings(ctx)
  return { appName: settings['general.appName'], baseUrl: appUrl(ctx.env, settings['general.appUrl'], request) }
}

function iconsOf(version: string) {
  const address = (size: number) => `/api/logo/${size}.png?v=${version}`
  return version ? { 32: address(32), 180: address(180), 192: address(192), 512: address(512) } : null
}
