/**
 * The language for a visitor: the cookie's where we have it, else the first of Accept-Language (RFC 9110, 12.5.4) that we have by its exact code or,
 * failing that, by its base language; else `fallback`. All are BCP 47 codes.
 */
export function chooseLanguage(
  languages: readonly string[],
  fallback: string,
  cookie: string | undefined,
  acceptLanguage: string | undefined,
): string {
  const has = (code: string) => languages.find((language) => language.toLowerCase() === code)
  const sharesBase = (code: string) => languages.find((language) => baseOf(language.toLowerCase()) === baseOf(code))
  const chosen = cookie && has(cookie.toLowerCase())
  if (chosen) return chosen
  for (const code of preferred(acceptLanguage ?? '')) {
    const found = has(code) ?? sharesBase(code)
    if (found) return found
  }
  return fallback
}

function baseOf(code: string): string {
  return code.split('-')[0]!
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
