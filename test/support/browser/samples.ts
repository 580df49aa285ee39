/** The value of one sample in Prometheus' text format; labels in the order in which they are written. NaN when it is not there. */
export function sample(text: string, name: string, labels: Record<string, string | number> = {}): number {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const start = `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} `
  const line = text.split('\n').find((line) => line.startsWith(start))
  return line === undefined ? Number.NaN : Number(line.slice(start.length))
}
