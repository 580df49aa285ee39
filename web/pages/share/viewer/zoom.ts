/** How a picture lies in its frame: enlarged about the center, then moved by CSS pixels. */
export interface Place {
  scale: number
  x: number
  y: number
}

export interface Box {
  left: number
  top: number
  width: number
  height: number
}

/** The picture fits into its frame. */
export const whole: Place = { scale: 1, x: 0, y: 0 }

const scaleMax = 8

/** Returns the place after enlarging by `factor`, so that the point at `about` stays where it is. */
export function enlarge(box: Box, { scale, x, y }: Place, factor: number, about: { x: number; y: number }): Place {
  const next = Math.min(Math.max(scale * factor, 1), scaleMax)
  const [right, down] = [about.x - box.left - box.width / 2, about.y - box.top - box.height / 2]
  const ratio = next / scale
  return { scale: next, x: right - (right - x) * ratio, y: down - (down - y) * ratio }
}

/** Returns the nearest place at which the enlarged box of the picture still covers its frame. */
export function fitted({ width, height }: Pick<Box, 'width' | 'height'>, { scale, x, y }: Place): Place {
  if (scale <= 1) return whole
  const within = (value: number, size: number) => Math.min(Math.max(value, (-size * (scale - 1)) / 2), (size * (scale - 1)) / 2)
  return { scale, x: within(x, width), y: within(y, height) }
}
