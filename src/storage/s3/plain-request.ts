import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import type { AgentPair } from './agents.ts'

const TIMEOUT = 10_000 // ms

interface Request {
  method: string
  headers?: Record<string, string>
  body?: string
}

interface PlainResponse {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Sends one plain HTTP request, as a browser would. Rejects without a response within 10 s. */
export function exchange(
  { httpAgent, httpsAgent }: AgentPair,
  url: string,
  { method, headers = {}, body = '' }: Request,
): Promise<PlainResponse> {
  const isSecure = new URL(url).protocol === 'https:'
  const options = { method, headers, agent: isSecure ? httpsAgent : httpAgent, signal: AbortSignal.timeout(TIMEOUT) }
  return new Promise((resolve, reject) => {
    const outgoing = (isSecure ? httpsRequest : httpRequest)(url, options, (response) => {
      const { statusCode: status = 0, headers } = response
      text(response).then((text) => resolve({ status, headers, text }), reject)
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}
