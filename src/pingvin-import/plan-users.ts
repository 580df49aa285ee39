import { isUuid } from '../http/formats.ts'
import { nameKey } from '../users/queries.ts'
import type { Pingvin, PingvinUser } from './pingvin.ts'
import type { Plan, Planning } from './plan.ts'
import { knownLinks, knownUsers } from './queries.ts'

/** Pingvin's id of a user → the id here. */
export type Owners = ReadonlyMap<string, string>

/** Issuers under which the subjects are the same as Pingvin's: those of the other providers depend on the tenant or the discovery. */
const issuers: Record<string, string> = {
  github: 'https://github.com',
  google: 'https://accounts.google.com',
  discord: 'https://discord.com',
}
const base32 = /^[A-Z2-7]+=*$/i

/** Which users are taken. One whose name and address are both an account's here is that account, which stays as it is. */
export async function planUsers(ctx: Planning, { users }: Pingvin, plan: Plan): Promise<Owners> {
  const known = await knownUsers(ctx.db)
  const ids = new Set(known.map(({ id }) => id))
  const byName = new Map(known.map(({ id, usernameKey }) => [usernameKey, id]))
  const byEmail = new Map(known.map(({ id, emailKey }) => [emailKey, id]))
  const owners = new Map<string, string>()
  for (const user of users) {
    const [usernameKey, emailKey] = [nameKey(user.username), nameKey(user.email)]
    const [named, mailed] = [byName.get(usernameKey), byEmail.get(emailKey)]
    const why = reasonAgainst(user)
    if (ids.has(user.id)) plan.here.accounts++
    else if (named && named === mailed) {
      plan.here.accounts++
      note(plan.changed, user, 'is an account here by name and address: it keeps its password, and gets the shares')
    } else if (named || mailed || why) {
      note(plan.left, user, why ?? `another account here has this ${named ? 'name' : 'e-mail address'}`)
      continue
    } else {
      plan.users.push({ ...rowOf(ctx, user), usernameKey, emailKey })
      if (user.isLdap) note(plan.changed, user, 'signed in by LDAP, which does not exist here: it has no password until one is set')
      byName.set(usernameKey, user.id)
      byEmail.set(emailKey, user.id)
    }
    owners.set(user.id, ids.has(user.id) ? user.id : (named ?? user.id))
  }
  return owners
}

function rowOf({ sealer }: Planning, { id, username, email, password, isAdmin, totpSecret, isLdap, createdAt }: PingvinUser) {
  return {
    ...{ id, username, email, isAdmin, createdAt },
    passwordHash: isLdap ? null : password, // Pingvin gave LDAP users one that nobody knows
    totpSecret: totpSecret === null ? null : sealer.seal(totpSecret),
    totpVerified: totpSecret !== null,
  }
}

function reasonAgainst({ id, username, email, password, totpSecret }: PingvinUser): string | null {
  if (!isUuid(id) || !username || !email) return 'its row is damaged'
  if (password !== null && !password.startsWith('$argon2')) return 'its password is not hashed as Pingvin does it'
  if (totpSecret !== null && !base32.test(totpSecret))
    return 'its authenticator secret is damaged, and without it the account would be open to its password alone'
  return null
}

function note(notes: Plan['left'], { username }: PingvinUser, why: string): void {
  notes.push({ kind: 'accounts', name: username, why })
}

/** Which accounts elsewhere go on signing in. */
export async function planLinks(ctx: Planning, { links }: Pingvin, owners: Owners, plan: Plan): Promise<void> {
  const known = await knownLinks(ctx.db)
  const subjects = new Set(known.map(({ issuer, subject }) => `${issuer} ${subject}`))
  const taken = new Set(known.map(({ userId, provider }) => `${userId} ${provider}`))
  for (const { provider, subject, username, userId } of links) {
    const leave = (why: string) => plan.left.push({ kind: 'sign-ins elsewhere', name: `${username} (${provider})`, why })
    const [issuer, owner] = [issuers[provider], owners.get(userId)]
    if (!issuer) leave('is linked again on the account page: what Pingvin keeps does not say which issuer it is')
    else if (!owner) leave('its account is not taken')
    else if (subjects.has(`${issuer} ${subject}`)) plan.here['sign-ins elsewhere']++
    else if (taken.has(`${owner} ${provider}`)) leave('its account has another one with this provider')
    else {
      plan.links.push({ userId: owner, provider, issuer, subject, username, emailKey: null, createdAt: ctx.now() })
      subjects.add(`${issuer} ${subject}`)
      taken.add(`${owner} ${provider}`)
    }
  }
}
