/**
 * Fills a running development server with accounts, shares and reverse shares through its own API.
 */
const host = process.env.RAZORBILL_URL ?? 'http://localhost:3000'
const password = 'seabird colony 7'

interface Account {
  username: string
  cookies: string
}

const share = { expiration: '30-days' }
const shares: { owner: number; fields: Record<string, string>; files: Record<string, string | Uint8Array<ArrayBuffer>> }[] = [
  {
    owner: 0,
    fields: { ...share, id: 'norway', name: 'Norway in June', description: 'The best pictures of the week.' },
    files: Object.fromEntries(Array.from({ length: 24 }, (_, n) => [`Day ${(n % 4) + 1}/IMG_${2000 + n}.svg`, picture(n)])),
  },
  { owner: 0, fields: { ...share, id: 'locked', name: 'With a password', password: 'guillemot' }, files: { 'plans.txt': 'Top secret.\n' } },
  {
    owner: 0,
    fields: { id: 'unnamed', expiration: 'never', maxViews: '3' },
    files: { 'unnamed share.md': '# Notes\n\nThis share has no name.\n' },
  },
  {
    owner: 1,
    fields: { ...share, id: 'long-name', name: 'A name so long that it does not fit on one line of a phone, nor on two lines of it' },
    files: { [`${'a very long file name '.repeat(8)}.txt`]: 'Long.\n', 'données/été – 2026.csv': 'day,birds\n1,12\n2,31\n' },
  },
  {
    owner: 1,
    fields: { ...share, id: 'many-files', name: 'Five hundred files' },
    files: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`set ${(n % 10) + 1}/file ${n}.txt`, `${n}\n`])),
  },
  { owner: 1, fields: { ...share, id: 'large-file', name: 'One large file' }, files: { 'video.bin': new Uint8Array(50_000_000) } },
]

const admin = await firstAccount('admin')
const owners = [admin, await account('alice'), await account('bob')]
for (const { owner, fields, files } of shares) await upload(owners[owner]!, fields, files)
const reverseShares = [
  { name: 'Wedding photos', token: 'wedding', maxUseCount: 100, allowedTypes: ['image/*'] },
  { name: 'Invoices', token: 'invoices', maxUseCount: 10, fields: { name: 'required', email: 'optional', message: 'optional' } },
]
for (const reverseShare of reverseShares) {
  await call(admin, 'POST', '/api/reverseShares', { shareExpiration: '30-days', maxShareSize: '1000000000', ...reverseShare })
}
console.log(`Sign in at ${host} as admin, alice or bob with the password "${password}".`)

async function firstAccount(username: string): Promise<Account> {
  const response = await send('POST', '/api/auth/signUp', { username, email: `${username}@example.org`, password })
  if (response.ok) return { username, cookies: cookiesOf(response) }
  return signIn(username)
}

async function account(username: string): Promise<Account> {
  const response = await send('POST', '/api/users', { username, email: `${username}@example.org`, password }, admin)
  if (!response.ok && response.status !== 400) throw await failure(response)
  return signIn(username)
}

async function signIn(username: string): Promise<Account> {
  const response = await send('POST', '/api/auth/signIn', { username, password })
  if (!response.ok) throw await failure(response)
  return { username, cookies: cookiesOf(response) }
}

/** Skips a share whose link is taken: the seed has run before. */
async function upload({ cookies }: Account, fields: Record<string, string>, files: (typeof shares)[number]['files']): Promise<void> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const [name, content] of Object.entries(files)) form.append('file', new File([content], name), name)
  const response = await fetch(`${host}/api/upload`, { method: 'POST', headers: { cookie: cookies }, body: form })
  if (!response.ok && !(await isTaken(response))) throw await failure(response)
}

async function call(account: Account, method: string, path: string, body: object): Promise<void> {
  const response = await send(method, path, body, account)
  if (!response.ok && !(await isTaken(response))) throw await failure(response)
}

async function isTaken(response: Response): Promise<boolean> {
  const { error } = (await response.clone().json()) as { error: string }
  return error.endsWith('_taken')
}

function send(method: string, path: string, body: object, account?: Account): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(account && { cookie: account.cookies }) }
  return fetch(host + path, { method, headers, body: JSON.stringify(body) })
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

async function failure(response: Response): Promise<Error> {
  return new Error(`${response.url} responded with ${response.status}: ${await response.text()}`)
}

/** An SVG of its own color for each number. */
function picture(n: number): string {
  const hue = (n * 37) % 360
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300"><rect width="400" height="300" fill="hsl(${hue} 60% 70%)"/>
<circle cx="${60 + n * 10}" cy="150" r="60" fill="hsl(${hue} 60% 40%)"/></svg>`
}
