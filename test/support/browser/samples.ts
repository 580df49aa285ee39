/**
 * Returns the value of one sample in Prometheus' text format, or NaN when it is missing. Labels are
 * in their written order.
 */
export function sample(text: string, name: string, labels: Record<string, string | number> = {}): number {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const start = `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} `
  const line = text.split('\n').find((line) => line.startsWith(start))
  return line === undefined ? Number.NaN : Number(line.slice(start.length))
}
