import type { FastifyInstance, LightMyRequestResponse } from 'fastify'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
interface More {
  app?: FastifyInstance
  headers?: Record<string, string>
  address?: string
}

/** Calls of one browser in short form: `call('POST auth/totp/enable', { password })`. */
export function callsOf(app: FastifyInstance, own: Record<string, string> = {}) {
  return (
    what: string,
    payload?: unknown,
    { app: other = app, headers, address = '192.0.2.1' }: More = {},
  ): Promise<LightMyRequestResponse> => {
    const [method, path] = what.split(' ') as [Method, string]
    const body = payload === undefined ? {} : { payload: payload as object }
    return other.inject({ method, url: `/api/${path}`, headers: { ...own, ...headers }, remoteAddress: address, ...body })
  }
}
export type Call = ReturnType<typeof callsOf>

/** A clock that the test moves. */
export function testClock(start = '2027-01-01T00:00:00Z') {
  let time = new Date(start).getTime()
  return {
    now: () => new Date(time),
    pass(seconds: number) {
      time += seconds * 1000
    },
  }
}
