/**
 * The locale for Intl in the page's language. It names the script where a language has several, as
 * Serbian does.
 */
export let intlLocale = 'en-US'

/** Sets the locale of numbers and times. */
export function setIntlLocale(locale: string): void {
  intlLocale = locale
}
