import { isIPv6 } from 'node:net'
import type { Attempt, AttemptLimit } from './rate-limit.ts'

/** Characters; longer than any address. A proxy may forward arbitrary text instead of one. */
const addressMax = 64

type Window = Omit<AttemptLimit, 'name'>

/** Limits for an address and its networks, because one customer may have an IPv6 /48 (RFC 6177). */
interface NetworkLimit {
  name: string
  /** IPv4: one address; IPv6: a /64. */
  address: Window
  /** IPv6 only: a /56. */
  site: Window
  /** IPv4: a /24; IPv6: a /48. */
  network: Window
}

/**
 * Returns the counters of one attempt from an address, narrowest network first. `subject`
 * separates the counters of, for example, different accounts.
 */
export function networkAttempts({ name, address, site, network }: NetworkLimit, from: string, subject = ''): [Attempt, ...Attempt[]] {
  const keys = networkKeys(from)
  const key = (network: string) => (subject ? `${subject} ${network}` : network)
  return [
    [{ name, ...address }, key(keys.address)],
    ...(keys.site ? [[{ name: `${name}-site`, ...site }, key(keys.site)] as const] : []),
    [{ name: `${name}-network`, ...network }, key(keys.network)],
  ]
}

/**
 * Returns an IPv4 address, or the /64 of an IPv6 address, without the port that some proxies add.
 */
export function addressKey(text: string): string {
  return networkKeys(text).address
}

/** Returns the network of an address: the /24 of IPv4, the /48 of IPv6. */
export function networkKey(text: string): string {
  return networkKeys(text).network
}

/** A closed connection has no address, although the type of `request.ip` says otherwise. */
function networkKeys(text: string | undefined = ''): { address: string; site?: string; network: string } {
  const address = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/.exec(text)?.slice(1).find(Boolean) ?? text
  if (!isIPv6(address)) return networkOfIPv4(address.slice(0, addressMax))
  const groups = expand(address)
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff') return networkOfIPv4(mappedIPv4(groups))
  const [first, second, third, fourth = '0'] = groups
  const siteGroup = (Number.parseInt(fourth, 16) & 0xff00).toString(16)
  return {
    address: `${first}:${second}:${third}:${fourth}::/64`,
    site: `${first}:${second}:${third}:${siteGroup}::/56`,
    network: `${[first, second, third].join(':').replace(/(^|:)0(:0)*$/, '')}::/48`, // RFC 5952
  }
}

function networkOfIPv4(address: string) {
  return { address, network: address.replace(/\.\d+$/, '.0/24') }
}

function mappedIPv4(groups: string[]): string {
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Returns the eight groups of an IPv6 address, without leading zeros. */
function expand(address: string): string[] {
  const [plain = ''] = address.split('%')
  const [head = '', tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::')
  const before = head ? head.split(':') : []
  const after = tail ? tail.split(':') : []
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
}
