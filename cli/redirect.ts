import { lookup } from 'node:dns/promises'
import { BlockList, isIPv6 } from 'node:net'

const local = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  local.addSubnet(net, bits, 'ipv4')
}
local.addAddress('::', 'ipv6')
local.addAddress('::1', 'ipv6')
local.addSubnet('fc00::', 7, 'ipv6')
local.addSubnet('fe80::', 10, 'ipv6')

/**
 * Returns whether bytes may go to or come from `address`, which the server at `server` named: its
 * own origin, or a store. Refuses a downgrade to http, and local addresses that a server outside
 * this network names.
 */
export async function isPermitted(address: string, server: string): Promise<boolean> {
  if (!URL.canParse(address)) return false
  const [from, to] = [new URL(server), new URL(address)]
  if (to.username || to.password) return false
  if (to.origin === from.origin) return true
  if (to.protocol !== 'https:' && to.protocol !== from.protocol) return false
  if (to.hostname === from.hostname) return true
  return !(await isLocal(to)) || (await isLocal(from))
}

/** A name that does not resolve is not local. */
async function isLocal({ hostname }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const found = await lookup(host, { all: true }).catch(() => [])
  return found.some(({ address }) => local.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'))
}
