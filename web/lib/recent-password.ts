const memory = 5 * 60_000 // ms

let recent: { password: string; until: number } | null = null

/** Keeps a password that the server has accepted for five minutes, in this tab only. */
export function rememberPassword(password: string | undefined): void {
  recent = password === undefined ? null : { password, until: Date.now() + memory }
}

/** Returns the password that the user has entered in the last five minutes. */
export function recentPassword(): string | undefined {
  if (recent && recent.until < Date.now()) recent = null
  return recent?.password
}
