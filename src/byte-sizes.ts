const units = ['kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const
/** Creating a formatter takes far longer than using it, which would make long lists slow. */
const formatters = new Map<string, Intl.NumberFormat>()

/** Formats a number of bytes in decimal units for a BCP 47 locale: `0 B`, `25 kB`, `1.5 GB`. */
export function formatByteSize(bytes: number, locale: string): string {
  let value = bytes
  let power = 0
  while (value >= 999.5 && power < units.length) {
    value /= 1000
    power++
  }
  const unit = units[power - 1]
  if (!unit) return `${formatter(locale, 'number').format(bytes)} ${byteSign(locale)}`
  const maximumFractionDigits = value < 100 ? 1 : 0
  return formatter(locale, `${unit} ${maximumFractionDigits}`, { style: 'unit', unit, maximumFractionDigits }).format(value)
}

/** Returns the language's sign for bytes, such as `B` in English and `o` in French. */
function byteSign(locale: string): string {
  const parts = formatter(locale, 'sign', { style: 'unit', unit: 'byte', unitDisplay: 'narrow' }).formatToParts(0)
  return parts.find(({ type }) => type === 'unit')?.value.trim() ?? 'B'
}

function formatter(locale: string, name: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  const key = `${locale} ${name}`
  const cached = formatters.get(key) ?? new Intl.NumberFormat(locale, options)
  formatters.set(key, cached)
  return cached
}
