import { isIPv6 } from 'node:net'
import type { Attempt, AttemptLimit } from './rate-limit.ts'

/** Longer than any address; what a proxy passes on instead of one is cut. */
const longestName = 64

type Window = Omit<AttemptLimit, 'name'>

/** Limits of the same tries for an address and for the networks around it: one customer may have a whole /48 of IPv6 (RFC 6177). */
export interface NetworkLimit {
  name: string
  /** IPv4: one address; IPv6: a /64. */
  address: Window
  /** IPv6 only: a /56. */
  site: Window
  /** IPv4: a /24; IPv6: a /48. */
  network: Window
}

/** Returns the tries that one from `address` counts as, the narrowest network first. `of` keeps the counters of, say, different accounts apart. */
export function networkAttempts({ name, address, site, network }: NetworkLimit, from: string, of = ''): [Attempt, ...Attempt[]] {
  const keys = networkKeys(from)
  const key = (network: string) => (of ? `${of} ${network}` : network)
  return [
    [{ name, ...address }, key(keys.address)],
    ...(keys.site ? [[{ name: `${name}-site`, ...site }, key(keys.site)] as const] : []),
    [{ name: `${name}-network`, ...network }, key(keys.network)],
  ]
}

/** Returns the part of a client's address that tries are counted by: IPv4 whole, the /64 of IPv6. Without the port that some proxies add. */
export function addressKey(given: string): string {
  return networkKeys(given).address
}

/** A connection that has closed meanwhile has no address any more, whatever the type of `request.ip` says. */
function networkKeys(given: string | undefined = ''): { address: string; site?: string; network: string } {
  const address = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/.exec(given)?.slice(1).find(Boolean) ?? given
  if (!isIPv6(address)) return networkOfIPv4(address.slice(0, longestName))
  const groups = expand(address)
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff') return networkOfIPv4(mappedIPv4(groups))
  const [first, second, third, fourth = '0'] = groups
  const siteGroup = (Number.parseInt(fourth, 16) & 0xff00).toString(16)
  return {
    address: `${first}:${second}:${third}:${fourth}::/64`,
    site: `${first}:${second}:${third}:${siteGroup}::/56`,
    network: `${first}:${second}:${third}::/48`,
  }
}

function networkOfIPv4(address: string) {
  return { address, network: address.replace(/\.\d+$/, '.0/24') }
}

function mappedIPv4(groups: string[]): string {
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** The eight groups of an IPv6 address, without leading zeros. */
function expand(address: string): string[] {
  const [plain = ''] = address.split('%')
  const [head = '', tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::')
  const before = head ? head.split(':') : []
  const after = tail ? tail.split(':') : []
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
}
