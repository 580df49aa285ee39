import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import type { AgentPair } from './agents.ts'

const PATIENCE = 10_000 // ms

interface Request {
  method: string
  headers?: Record<string, string>
  body?: string
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** One plain HTTP request, as a browser would send it; rejects when there is no answer within 10 s. */
export function exchange({ httpAgent, httpsAgent }: AgentPair, url: string, { method, headers = {}, body = '' }: Request): Promise<Answer> {
  const secure = new URL(url).protocol === 'https:'
  const options = { method, headers, agent: secure ? httpsAgent : httpAgent, signal: AbortSignal.timeout(PATIENCE) }
  return new Promise((resolve, reject) => {
    const outgoing = (secure ? httpsRequest : httpRequest)(url, options, (reply) => {
      text(reply).then((text) => resolve({ status: reply.statusCode!, headers: reply.headers, text }), reject)
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}
