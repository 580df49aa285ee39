import { fixableKeys, variableOf } from './environment.ts'

type Variables = Record<string, string | undefined>

/** Addresses that Kubernetes writes into `NAME_PORT` and `NAME_PORT_80_TCP` for a Service. */
const serviceAddress = /^(tcp|udp|sctp):\/\//
/** Names that only Kubernetes gives, in a container that sees a Service. */
const serviceName = /_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\d+_(TCP|UDP|SCTP)(_.+)?)$/
/** Variables of the command line, which may be set on the same machine. */
const variablesOfCli = ['RAZORBILL_URL', 'RAZORBILL_TOKEN']

/**
 * Removes the variables that Kubernetes adds to a container for each Service, because they can have
 * our names: a Service `metrics` sets METRICS_PORT. Adds one sentence to `warnings` if it does.
 */
export function withoutServiceVariables(variables: Variables, warnings: string[]): Variables {
  const isOfService = ([name, value]: [string, string | undefined]) =>
    serviceName.test(name) || (/_PORT$/.test(name) && serviceAddress.test(value?.trim() ?? ''))
  const entries = Object.entries(variables)
  const isRead = (name: string) => name === 'METRICS_PORT' || name.startsWith('S3_') || fixableKeys.some((key) => variableOf(key) === name)
  const ignored = entries.flatMap((entry) => (isOfService(entry) && isRead(entry[0]) ? [entry[0]] : []))
  if (ignored.length > 0) {
    warnings.push(`${ignored.sort().join(', ')}: ignored, because Kubernetes sets them for a Service. Turn enableServiceLinks off.`)
  }
  return Object.fromEntries(entries.filter((entry) => !isOfService(entry)))
}

/** Returns one sentence for each RAZORBILL_ variable that nothing reads. */
export function unknownVariables(variables: Variables): string[] {
  const known = [...fixableKeys.map(variableOf), ...variablesOfCli]
  const unknown = Object.keys(variables).filter((name) => /^RAZORBILL_./.test(name) && !known.includes(name))
  return unknown.sort().map((name) => {
    const nearest = nearestName(name, known)
    return `${name} is not the variable of a setting and has no effect.${nearest ? ` Did you mean ${nearest}?` : ''}`
  })
}

/** Returns the most similar name; null if fewer than two thirds of the letters agree. */
function nearestName(name: string, names: string[]): string | null {
  const prefix = 'RAZORBILL_'.length
  const [nearest] = names
    .map((other) => ({ other, distance: editDistance(name.slice(prefix), other.slice(prefix)) }))
    .sort((a, b) => a.distance - b.distance)
  return nearest && nearest.distance <= (name.length - prefix) / 3 ? nearest.other : null
}

/** Returns how many letters must be added, removed or replaced to get from `a` to `b`. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const letter of a) {
    let previous = row[0] ?? 0
    let left = previous + 1
    row = row.map((above, index) => {
      if (index === 0) return left
      left = Math.min(above + 1, left + 1, previous + (letter === b[index - 1] ? 0 : 1))
      previous = above
      return left
    })
  }
  return row.at(-1) ?? 0
}
