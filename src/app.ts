import { join } from 'node:path'
import cookie from '@fastify/cookie'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import { registerAccessTokens } from './auth/access-token.ts'
import { identifyCallers } from './auth/identify.ts'
import { authRoutes } from './auth/routes.ts'
import { configRoutes } from './config/routes.ts'
import type { Context } from './context.ts'
import { downloadsRoutes } from './downloads/routes.ts'
import { docsRoutes } from './http/docs/routes.ts'
import { emptyBody } from './http/empty-body.ts'
import { errorHandler, notFound } from './http/error-handler.ts'
import { emailFormat } from './http/formats.ts'
import { decodableUrl, refuseMalformed } from './http/malformed.ts'
import { operationsRoutes } from './http/operations.ts'
import { requestLog } from './http/request-log.ts'
import { queryField } from './http/route.ts'
import { sameOrigin } from './http/same-origin.ts'
import { spa } from './http/spa.ts'
import { metricsRoute } from './metrics/route.ts'
import { oauthRoutes } from './oauth/routes.ts'
import { providerSignOut } from './oauth/sign-out.ts'
import { reverseSharesRoutes } from './reverse-shares/routes.ts'
import { sharesRoutes } from './shares/routes.ts'
import { docsSurroundings, startData } from './start-data.ts'
import { systemRoutes } from './system/routes.ts'
import { uploadsRoutes } from './uploads/routes.ts'
import { scriptsRoutes } from './uploads/scripts-routes.ts'
import { userRoutes } from './users/routes.ts'

const jsonLimit = 1_048_576 // bytes
const pagesFolder = join(import.meta.dirname, '../dist/web')

/** Builds the HTTP application on a context, without listening. */
export async function buildApp(ctx: Context): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: ctx.log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: ctx.env.trustProxy.length > 0 ? ctx.env.trustProxy : false,
    bodyLimit: jsonLimit,
    requestTimeout: 0, // an upload may take hours; the header and keep-alive time-outs guard idle connections
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    routerOptions: { maxParamLength: 300, constraints: { [queryField.name]: queryField } },
    rewriteUrl: decodableUrl,
    clientErrorHandler: refuseMalformed,
  })
  app.setValidatorCompiler(validators())
  app.setErrorHandler(errorHandler)
  app.setNotFoundHandler(notFound)
  app.decorateRequest('caller', undefined)
  requestLog(app, ctx.metrics)
  app.addHook('onRequest', emptyBody)
  app.addHook('onRequest', sameOrigin)
  await app.register(cookie)
  await registerAccessTokens(app, ctx)
  identifyCallers(app, ctx)
  docsRoutes(app, { surroundings: (request) => docsSurroundings(ctx, request) }) // before all that it describes
  authRoutes(app, ctx, (...signedOut) => providerSignOut(ctx, ...signedOut))
  oauthRoutes(app, ctx)
  userRoutes(app, ctx)
  configRoutes(app, ctx)
  operationsRoutes(app, ctx)
  metricsRoute(app, ctx)
  sharesRoutes(app, ctx)
  reverseSharesRoutes(app, ctx)
  uploadsRoutes(app, ctx)
  scriptsRoutes(app, ctx)
  downloadsRoutes(app, ctx)
  systemRoutes(app, ctx)
  await spa(app, { folder: pagesFolder, startData: (request) => startData(ctx, request), connectTo: () => ctx.storage.direct?.origin })

  return app
}

/** JSON bodies must have the right types; query strings and path parameters are text, so their numbers and booleans are read from it. */
function validators() {
  const strict = new Ajv({ allErrors: true, useDefaults: true })
  const coercing = new Ajv({ allErrors: true, useDefaults: true, coerceTypes: 'array' })
  for (const ajv of [strict, coercing]) addFormats.default(ajv).addFormat('email', emailFormat)
  return ({ schema, httpPart }: { schema: object; httpPart?: string }) => (httpPart === 'body' ? strict : coercing).compile(schema)
}
