/** sslmode values that `pg` reads as `verify-full` after printing a warning. */
const strictModes = /([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/
const allModes = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full']

/**
 * Returns what is wrong with a PostgreSQL URL, as a sentence about the variable `name`; null if
 * nothing is. Detects passwords with unescaped characters, which change the meaning of the rest.
 */
export function databaseUrlProblem(name: string, value: string): string | null {
  if (!/^postgres(ql)?:\/\//.test(value)) return `${name} must be a URL that starts with postgres:// or postgresql://.`
  if (isMisread(value)) {
    return (
      `${name} can't be read. If the user or the password contains one of these characters, write ` +
      '%25 for %, %40 for @, %3A for :, %2F for /, %3F for ? and %23 for #.'
    )
  }
  const mode = new URL(parsable(value)).searchParams.get('sslmode')
  if (mode !== null && !allModes.includes(mode)) return `${name}: sslmode is "${mode}"; it must be one of ${allModes.join(', ')}.`
  return null
}

/** Replaces the sslmode values that mean the same as `verify-full`. */
export function withoutTlsWarning(url: string): string {
  return url.replace(strictModes, '$1verify-full')
}

function isMisread(value: string): boolean {
  if (!URL.canParse(parsable(value))) return true
  const { username, password, pathname, search, hash } = new URL(parsable(value))
  const [firstName = ''] = search.split('=')
  return hash !== '' || pathname.includes('@') || firstName.includes('@') || !isEncoded(username) || !isEncoded(password)
}

/** Adds a host to a URL without one, as for Unix sockets, because `URL` requires it. */
function parsable(value: string): string {
  return value.replace(/^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?=[/?])/, '$1localhost')
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
