import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import cookie from '@fastify/cookie'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { openRecorder } from './activity/recorder.ts'
import { docsRoutes } from './api-docs/routes.ts'
import { authRoutes } from './auth/routes.ts'
import { registerAccessTokens } from './auth/sessions/access-token.ts'
import { identifyCallers } from './auth/sessions/identify.ts'
import { configRoutes } from './config/routes.ts'
import { readSettings } from './config/service.ts'
import type { Context } from './context.ts'
import { addressOfOldLink } from './downloads/old-links/address.ts'
import { downloadsRoutes } from './downloads/routes.ts'
import { basePathOf, serveBelow, urlBelow } from './http/base-path.ts'
import { bodyDeadline, enforceBodyDeadline } from './http/body-deadline.ts'
import { gatherChunkedBodies } from './http/chunked-bodies.ts'
import { limitConnections } from './http/connection-limit.ts'
import { deliverEarlyReplies } from './http/early-replies.ts'
import { errorHandler } from './http/error-handler.ts'
import { trackHttpsSite } from './http/https-site.ts'
import { ignoreTypeOfEmptyBody, refuseMalformed, refuseSecondHost } from './http/malformed.ts'
import { setReplyHeaders } from './http/reply-headers.ts'
import { requestLog } from './http/request-log.ts'
import { trackRequests } from './http/request-scope.ts'
import { queryField } from './http/route.ts'
import { sameOrigin } from './http/same-origin.ts'
import { serverOptions } from './http/server-options.ts'
import { catchFromHandlers } from './http/stray-errors.ts'
import { enforceTransferFloor, type TransferFloor, transferFloor } from './http/transfer-floor.ts'
import { refuseUnknownRoutes } from './http/unknown-routes.ts'
import { buildSerializer, validatorCompiler } from './http/validators.ts'
import { metricsRoute } from './metrics/route.ts'
import { oauthRoutes } from './oauth/routes.ts'
import { providerSignOut } from './oauth/sign-out.ts'
import { spa } from './pages/spa.ts'
import { docsSiteInfo, startData } from './pages/start-data.ts'
import { previewsRoutes } from './previews/routes.ts'
import type { EarlyServer } from './process/early-server.ts'
import { reverseActivityRoutes } from './reverse-shares/activity/routes.ts'
import { reverseSharesRoutes } from './reverse-shares/routes.ts'
import { activityRoutes } from './shares/activity/routes.ts'
import { linksRoutes } from './shares/links/routes.ts'
import { recipientsRoutes } from './shares/recipients/routes.ts'
import { remindersRoutes } from './shares/reminders/routes.ts'
import { sharesRoutes } from './shares/routes.ts'
import { operationsRoutes } from './system/health.ts'
import { systemRoutes } from './system/routes.ts'
import { scriptUploadsRoutes } from './uploads/form/routes.ts'
import { uploadsRoutes } from './uploads/routes.ts'
import { confirm } from './users/confirm.ts'
import { userRoutes } from './users/routes.ts'

const jsonLimit = 131_072 // bytes; 100 recipients and the longest texts need half of it
/** The built pages. `npm run dev` sets WEB_DIR to a description of the unbuilt ones. */
const pagesFolder = process.env.WEB_DIR ?? join(import.meta.dirname, '../dist/web')

/** Time limits for clients. Tests use shorter ones. */
export interface ClientTimeouts {
  /** Milliseconds for a body that is read as a whole. */
  body: number
  transfers: TransferFloor
}
const defaultTimeouts: ClientTimeouts = { body: bodyDeadline, transfers: transferFloor }

/**
 * Builds the HTTP application without listening, on a server that already listens if there is one.
 */
export async function buildApp(ctx: Context, timeouts = defaultTimeouts, server?: EarlyServer): Promise<FastifyInstance> {
  const { trustProxy, connectionsPerAddress } = ctx.env
  const basePath = basePathOf(ctx.env)
  const app = Fastify({
    loggerInstance: ctx.log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustProxy.length > 0 ? trustProxy : false,
    bodyLimit: jsonLimit,
    http: serverOptions,
    requestTimeout: serverOptions.requestTimeout,
    keepAliveTimeout: serverOptions.keepAliveTimeout,
    ...(server && { serverFactory: (handler: RequestListener) => server.handOver(handler) }),
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    routerOptions: { maxParamLength: 5_000, constraints: { [queryField.name]: queryField } },
    rewriteUrl: urlBelow(basePath),
    clientErrorHandler: refuseMalformed,
    schemaController: { compilersFactory: { buildSerializer } },
  })
  app.setValidatorCompiler(validatorCompiler())
  app.setErrorHandler(errorHandler)
  app.decorateRequest('caller', undefined)
  trackHttpsSite(app, ctx.env, async () => (await readSettings(ctx))['general.appUrl'])
  gatherChunkedBodies(app.server)
  serveBelow(app, basePath)
  requestLog(app, ctx.metrics)
  trackRequests(app, catchFromHandlers) // for failRequest and requestAddress
  setReplyHeaders(app, () => app.isHttpsSite())
  enforceBodyDeadline(app, timeouts.body)
  deliverEarlyReplies(app)
  enforceTransferFloor(app, timeouts.transfers)
  if (connectionsPerAddress > 0) limitConnections(app.server, connectionsPerAddress, ctx.log)
  refuseUnknownRoutes(app)
  app.addHook('onRequest', refuseSecondHost)
  app.addHook('onRequest', ignoreTypeOfEmptyBody)
  app.addHook('onRequest', sameOrigin)
  await app.register(cookie)
  await registerAccessTokens(app, ctx)
  identifyCallers(app, ctx)
  docsRoutes(app, { siteInfo: (request) => docsSiteInfo(ctx, request) }) // before all routes that it documents
  authRoutes(app, ctx, (...signedOut) => providerSignOut(ctx, ...signedOut))
  oauthRoutes(app, ctx)
  userRoutes(app, ctx)
  configRoutes(app, ctx, (caller, password) => confirm(ctx, caller, password))
  operationsRoutes(app, ctx)
  metricsRoute(app, ctx)
  const recording = { ...ctx, recorder: openRecorder(ctx) }
  app.addHook('onClose', () => recording.recorder.close()) // after the hooks that are added later
  sharesRoutes(app, recording)
  remindersRoutes(app, ctx)
  linksRoutes(app, ctx)
  recipientsRoutes(app, ctx)
  activityRoutes(app, ctx)
  reverseSharesRoutes(app, recording)
  reverseActivityRoutes(app, ctx)
  uploadsRoutes(app, recording)
  scriptUploadsRoutes(app, recording)
  downloadsRoutes(app, recording)
  previewsRoutes(app, ctx)
  systemRoutes(app, ctx)
  await spa(app, {
    folder: pagesFolder,
    startData: (request) => startData(ctx, request),
    addressOfOldLink: (request) => addressOfOldLink(ctx, request),
    connectTo: () => ctx.storage.direct?.origin,
  })

  return app
}
