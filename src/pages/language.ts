/**
 * Returns a visitor's language as a BCP 47 code: the cookie's, if available, otherwise the best
 * match of Accept-Language (RFC 9110, 12.5.4), by exact code, then by language and script, then by
 * language, otherwise `fallback`.
 */
export function chooseLanguage(
  languages: readonly string[],
  fallback: string,
  cookie: string | undefined,
  acceptLanguage: string | undefined,
): string {
  const has = (code: string) => languages.find((language) => language.toLowerCase() === code)
  const sharesBase = (code: string) => {
    const related = languages.filter((language) => baseOf(language.toLowerCase()) === baseOf(code))
    return related.find((language) => scriptOf(language) === scriptOf(code)) ?? related[0]
  }
  const chosen = cookie && has(cookie.toLowerCase())
  if (chosen) return chosen
  for (const code of preferred(acceptLanguage ?? '')) {
    const match = has(code) ?? sharesBase(code)
    if (match) return match
  }
  return fallback
}

function baseOf(code: string): string {
  return code.replace(/-.*/, '')
}

/**
 * Returns the likely script (CLDR, likely subtags): `Hant` for `zh-HK`; null for a malformed code.
 */
function scriptOf(code: string): string | null {
  try {
    return new Intl.Locale(code).maximize().script ?? null
  } catch {
    return null
  }
}

function preferred(acceptLanguage: string): string[] {
  return acceptLanguage
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [code = '', ...parameters] = part.trim().toLowerCase().split(';')
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find((q) => q !== undefined)
      return { code: code.trim(), weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ code, weight }) => code !== '' && code !== '*' && weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ code }) => code)
}
