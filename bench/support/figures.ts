/** One line of the report. */
export interface Figure {
  what: string
  value: string
  target: string
  met: boolean
  detail?: string
}

/** Returns the median. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/**
 * Measures the product and its reference in turn, `rounds` times after one warm-up of each; both
 * functions return a rate.
 */
export async function ratio(
  what: string,
  target: number,
  unit: string,
  ours: () => Promise<number>,
  ceiling: () => Promise<number>,
  rounds = 3,
): Promise<Figure> {
  const measured: [number[], number[]] = [[], []]
  for (let round = 0; round <= rounds; round++) {
    for (const [at, run] of [ours, ceiling].entries()) {
      const rate = await run()
      if (round > 0) measured[at]!.push(rate)
    }
  }
  const [rate, best] = [median(measured[0]), median(measured[1])]
  const value = rate / best
  return {
    what,
    value: value.toFixed(2),
    target: `at least ${target}`,
    met: value >= target,
    detail: `${rate.toPrecision(3)} against ${best.toPrecision(3)} ${unit}`,
  }
}

/** Returns a figure that must stay below a limit. */
export function below(what: string, value: number, limit: number, unit: string, detail?: string): Figure {
  return { what, value: `${value.toPrecision(3)} ${unit}`, target: `below ${limit} ${unit}`, met: value < limit, ...(detail && { detail }) }
}

/** Returns the seconds that `run` takes. */
export async function seconds(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await run()
  return (performance.now() - begun) / 1000
}
