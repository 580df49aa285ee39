/**
 * Returns the form in which recipients' addresses are compared. It is the same for addresses that
 * differ only in case or Unicode form.
 */
export function emailKeyOf(email: string): string {
  return email.normalize('NFC').toLowerCase()
}
