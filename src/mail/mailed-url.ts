/**
 * Returns the URL of a path for an email. It begins with the configured URL, never with the Host
 * header, which an attacker could choose.
 */
export function mailedUrl(settings: { 'general.appUrl': string }, path: string): string {
  return settings['general.appUrl'].replace(/(?<!\/)\/+$/, '') + path
}
