import type { TFunction } from 'i18next'

// The User-Agent of most browsers names several; the first match is the real one.
const browsers: [RegExp, string][] = [
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|Chromium|HeadlessChrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const systems: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]
const maxLength = 60 // characters, for other programs than browsers

/**
 * Returns a name for the device of a User-Agent header (RFC 9110, 10.1.5): `Firefox on Windows`, or
 * its beginning for other programs.
 */
export function deviceText(t: TFunction, userAgent: string | null): string {
  if (!userAgent) return t('account.unknownDevice')
  const browser = nameIn(browsers, userAgent)
  const system = nameIn(systems, userAgent)
  if (browser && system) return t('account.device', { browser, system })
  return browser ?? system ?? userAgent.slice(0, maxLength)
}

function nameIn(names: [RegExp, string][], userAgent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1]
}
