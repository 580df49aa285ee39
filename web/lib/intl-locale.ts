/** The tag by which Intl formats for the page's language: of Serbian, for one, in the letters of our texts. */
export let intlLocale = 'en-US'

/** Chooses the language of numbers and times. */
export function showIn(locale: string): void {
  intlLocale = locale
}
