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

/** The browser and the system that a User-Agent header names. */
export interface DeviceNames {
  browser: string | undefined
  system: string | undefined
}

/** Returns the browser and the system that a User-Agent header names (RFC 9110, 10.1.5). */
export function deviceNames(userAgent: string): DeviceNames {
  return { browser: nameIn(browsers, userAgent), system: nameIn(systems, userAgent) }
}

/**
 * Returns an English name for the device of a User-Agent header: `Firefox on Windows`, the beginning
 * of the header for other programs, or null without one.
 */
export function deviceName(userAgent: string | undefined): string | null {
  if (!userAgent) return null
  const { browser, system } = deviceNames(userAgent)
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? programName(userAgent)
}

/** Returns the beginning of a User-Agent header, for programs that are no browsers. */
export function programName(userAgent: string): string {
  return userAgent.slice(0, maxLength)
}

function nameIn(names: [RegExp, string][], userAgent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1]
}
