/** What usernames and e-mail addresses are compared by: equal for texts that differ only in case or in Unicode form (NFKC, then case folding). */
export function nameKey(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
}
