/** Where an installation's own logo is, large enough for the header on any screen; the product's own while it has none. */
export function logoAddress(version: string): string {
  return version ? `/api/logo/192.png?v=${version}` : '/favicon.svg'
}
