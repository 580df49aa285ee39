/** The colors that are derived from the accent color, by the names of their CSS variables. */
export type Palette = Record<(typeof colorNames)[number], string>
/** The palettes of both color schemes. */
export type Palettes = Record<'light' | 'dark', Palette>

const colorNames = ['primary', 'primary-hover', 'primary-active', 'tint', 'on-tint', 'link', 'disc', 'focus'] as const
const readable = 4.6 // WCAG 2.2 asks for a contrast of 4.5, before rounding

/** A hue in degrees, and the saturation and lightness in percent. */
interface Hsl {
  hue: number
  saturation: number
  lightness: number
}

/** What differs between the color schemes. */
interface Scheme {
  /** The background, as in web/styles.css. */
  paper: string
  /** Whether colors become readable on the background by getting darker (-1) or lighter. */
  step: -1 | 1
  /** The lightness from which the color of buttons is searched; null: that of the accent color. */
  start: number | null
  /** The change of lightness of a button under the pointer; a pressed one changes twice as much. */
  hover: number
  tint: { maxSaturation: number; lightness: number }
  /** The lightness of discs; null: they have the color of buttons. */
  disc: number | null
  /** The contrasts of links and of the focus with the background. */
  contrasts: { link: number; focus: number }
}

const lightScheme: Scheme = {
  paper: '#f6f5fb',
  step: -1,
  start: null,
  hover: -5,
  tint: { maxSaturation: 60, lightness: 94 },
  disc: 90,
  contrasts: { link: 5, focus: 3.2 },
}
const darkScheme: Scheme = {
  paper: '#191623',
  step: 1,
  start: 90, // so that it is as light as white text allows
  hover: -4,
  tint: { maxSaturation: 40, lightness: 22 },
  disc: null,
  contrasts: { link: 6, focus: 4 },
}

/** Kept, because every page needs them and deriving them takes long. */
let last: { accent: string; palettes: Palettes } | undefined

/**
 * Derives the colors of both schemes from an accent color such as `#4940de`; null for an empty one.
 * It keeps the hue and chooses the lightness, so that every text on or in a color is readable.
 */
export function palettesOf(accent: string): Palettes | null {
  if (accent === '') return null
  if (last?.accent !== accent) {
    const color = hslOf(accent)
    last = { accent, palettes: { light: paletteOf(lightScheme, color), dark: paletteOf(darkScheme, color) } }
  }
  return last.palettes
}

function paletteOf({ paper, step, start, hover, tint: { maxSaturation, lightness }, disc, contrasts }: Scheme, color: Hsl): Palette {
  const primary = changed({ ...color, lightness: start ?? color.lightness }, -1, '#ffffff', readable)
  const tint = { ...color, saturation: Math.min(color.saturation, maxSaturation), lightness }
  return {
    primary: hex(primary),
    'primary-hover': hex(shifted(primary, hover)),
    'primary-active': hex(shifted(primary, 2 * hover)),
    tint: hex(tint),
    'on-tint': hex(changed(color, step, hex(tint), 5.5)),
    link: hex(changed(color, step, paper, contrasts.link)),
    disc: hex(disc === null ? primary : { ...tint, lightness: disc }),
    focus: hex(changed(color, step, paper, contrasts.focus)),
  }
}

/** Returns the CSS rules that replace the colors of web/styles.css. */
export function paletteCss({ light, dark }: Palettes): string {
  const rules = (palette: Palette) =>
    Object.entries(palette)
      .map(([name, value]) => `--${name}:${value};`)
      .join('')
  return `:root,[data-theme="light"]{${rules(light)}}@media screen{[data-theme="dark"]{${rules(dark)}}}`
}

/** Changes the lightness in steps until the contrast is reached. */
function changed(color: Hsl, step: number, against: string, ratio: number): Hsl {
  let result = color
  const end = step < 0 ? 0 : 100
  while (contrast(hex(result), against) < ratio && result.lightness !== end) result = shifted(result, step)
  return result
}

function shifted(color: Hsl, by: number): Hsl {
  return { ...color, lightness: Math.min(100, Math.max(0, color.lightness + by)) }
}

/** Returns the contrast of two colors, 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [lower = 0, higher = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (higher + 0.05) / (lower + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
}

function hslOf(color: string): Hsl {
  const [red = 0, green = 0, blue = 0] = channelsOf(color)
  const [max, min] = [Math.max(red, green, blue), Math.min(red, green, blue)]
  const [span, lightness] = [max - min, (max + min) / 2]
  if (span === 0) return { hue: 0, saturation: 0, lightness: lightness * 100 }
  const hue = max === red ? ((green - blue) / span + 6) % 6 : max === green ? (blue - red) / span + 2 : (red - green) / span + 4
  return { hue: hue * 60, saturation: (span / (1 - Math.abs(2 * lightness - 1))) * 100, lightness: lightness * 100 }
}

function hex({ hue, saturation, lightness }: Hsl): string {
  const light = lightness / 100
  const amount = (saturation / 100) * Math.min(light, 1 - light)
  const channel = (offset: number) => {
    const position = (offset + hue / 30) % 12
    const value = light - amount * Math.max(-1, Math.min(position - 3, 9 - position, 1))
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${channel(0)}${channel(8)}${channel(4)}`
}
