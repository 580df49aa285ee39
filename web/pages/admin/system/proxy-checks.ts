import type { ProxyFacts } from '../../../../src/system/contract.ts'
import { address } from '../../../lib/address.ts'

const path = '/api/system/proxy-test'
const bodyBytes = 8 * 1_048_576 // a part of an upload
const quietSeconds = 65 // more than the usual limit of proxies
const measurable = 500 // ms; in less, a body held back by a proxy can't be told from one that is not

/** One result of the test: a key of `system.proxy.*` texts, and what the texts need. */
export interface ProxyCheck {
  name: 'body' | 'requests' | 'address' | 'host' | 'https' | 'pieces' | 'quiet'
  /** The text; the check has passed if it is `ok` or `fast`. */
  outcome: 'ok' | 'fast' | 'refused' | 'failed' | 'untrusted' | 'hidden' | 'changed' | 'plain' | 'unknown' | 'buffered' | 'cut'
  details: Record<string, string | number>
}

/** Sends a body as large as a part of an upload, and checks how the request arrives. */
export async function checkRequest(): Promise<ProxyCheck[]> {
  const init = { method: 'POST', body: new Uint8Array(bodyBytes), headers: { 'content-type': 'application/octet-stream' } }
  const begin = performance.now()
  const response = await fetch(address(path), init).catch(() => null)
  const duration = performance.now() - begin
  if (!response?.ok) {
    const outcome = response?.status === 413 ? 'refused' : 'failed'
    return [{ name: 'body', outcome, details: { status: response?.status ?? 0 } }]
  }
  const facts = (await response.json()) as ProxyFacts
  const body: ProxyCheck = { name: 'body', outcome: 'ok', details: {} }
  return [body, requestsCheck(facts, duration), addressCheck(facts), hostCheck(facts), httpsCheck(facts)]
}

/** A proxy that holds a body back until it is complete sends it to the server at once. */
function requestsCheck({ bodyTime }: ProxyFacts, duration: number): ProxyCheck {
  const outcome = duration < measurable ? 'fast' : bodyTime < duration / 3 ? 'buffered' : 'ok'
  return { name: 'requests', outcome, details: {} }
}

function addressCheck({ address, peer, isForwarded, trustsProxy }: ProxyFacts): ProxyCheck {
  const outcome = isForwarded && address === peer ? 'untrusted' : trustsProxy && !isForwarded ? 'hidden' : 'ok'
  return { name: 'address', outcome, details: { address, peer } }
}

function hostCheck({ host }: ProxyFacts): ProxyCheck {
  return { name: 'host', outcome: host === location.host ? 'ok' : 'changed', details: { host, expected: location.host } }
}

function httpsCheck({ protocol }: ProxyFacts): ProxyCheck {
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname)
  if (location.protocol !== 'https:') return { name: 'https', outcome: isLocal ? 'ok' : 'plain', details: {} }
  return { name: 'https', outcome: protocol === 'https' ? 'ok' : 'unknown', details: {} }
}

/** Checks whether the pieces of a response arrive one by one. */
export async function checkPieces(): Promise<ProxyCheck> {
  const check = (outcome: ProxyCheck['outcome']): ProxyCheck => ({ name: 'pieces', outcome, details: {} })
  const response = await fetch(address(path)).catch(() => null)
  if (!response?.ok || !response.body) return check('failed')
  const reader = response.body.getReader()
  let first = 0
  let last = 0
  for (let { done } = await reader.read(); !done; { done } = await reader.read()) {
    last = performance.now()
    first ||= last
  }
  return check(last - first > 600 ? 'ok' : 'buffered')
}

/** Checks whether a connection survives 65 s without a byte. */
export async function checkQuiet(): Promise<ProxyCheck> {
  const response = await fetch(address(`${path}?wait=${quietSeconds}`)).catch(() => null)
  const text = response?.ok ? await response.text().catch(() => '') : ''
  return { name: 'quiet', outcome: text === '' ? 'cut' : 'ok', details: { status: response?.status ?? 0, seconds: quietSeconds } }
}
