import { isUuid } from '../http/formats.ts'
import { nameKey } from '../users/queries.ts'
import type { Pingvin, PingvinUser } from './pingvin.ts'
import type { Plan, PlanContext } from './plan.ts'
import { listSocialLinks, listUsers } from './queries.ts'

/** Maps Pingvin Share's user ids to the ids here. */
export type Owners = ReadonlyMap<string, string>

/** Issuers with fixed subjects. Those of other providers depend on the tenant or the discovery document. */
const issuers: Record<string, string> = {
  github: 'https://github.com',
  google: 'https://accounts.google.com',
  discord: 'https://discord.com',
}
const base32 = /^[A-Z2-7]+=*$/i

/** Plans the import of users. A user with the name and email address of an existing account is that account, which stays unchanged. */
export async function planUsers(ctx: PlanContext, { users }: Pingvin, plan: Plan): Promise<Owners> {
  const accounts = await listUsers(ctx.db)
  const ids = new Set(accounts.map(({ id }) => id))
  const byName = new Map(accounts.map(({ id, usernameKey }) => [usernameKey, id]))
  const byEmail = new Map(accounts.map(({ id, emailKey }) => [emailKey, id]))
  const owners = new Map<string, string>()
  for (const user of users) {
    const [usernameKey, emailKey] = [nameKey(user.username), nameKey(user.email)]
    const [sameName, sameEmail] = [byName.get(usernameKey), byEmail.get(emailKey)]
    const why = reasonToSkip(user)
    if (ids.has(user.id)) plan.existing.accounts++
    else if (sameName && sameName === sameEmail) {
      plan.existing.accounts++
      addNote(plan.changed, user, 'has an account here with this name and email address: it keeps its password and gets the shares')
    } else if (sameName || sameEmail || why) {
      addNote(plan.skipped, user, why ?? `another account here has this ${sameName ? 'name' : 'email address'}`)
      continue
    } else {
      plan.users.push({ ...rowOf(ctx, user), usernameKey, emailKey })
      if (user.isLdap) addNote(plan.changed, user, 'signed in with LDAP, which is not supported here: it has no password until one is set')
      byName.set(usernameKey, user.id)
      byEmail.set(emailKey, user.id)
    }
    owners.set(user.id, ids.has(user.id) ? user.id : (sameName ?? user.id))
  }
  return owners
}

function rowOf({ sealer }: PlanContext, { id, username, email, password, isAdmin, totpSecret, isLdap, createdAt }: PingvinUser) {
  return {
    ...{ id, username, email, isAdmin, createdAt },
    passwordHash: isLdap ? null : password, // LDAP users have a random password in Pingvin Share
    totpSecret: totpSecret === null ? null : sealer.seal(totpSecret),
    totpVerified: totpSecret !== null,
  }
}

function reasonToSkip({ id, username, email, password, totpSecret }: PingvinUser): string | null {
  if (!isUuid(id) || !username || !email) return 'its row is damaged'
  if (password !== null && !password.startsWith('$argon2')) return 'its password hash is not from Pingvin Share'
  if (totpSecret !== null && !base32.test(totpSecret))
    return 'its authenticator secret is damaged, and without it the password alone would be enough to sign in'
  return null
}

function addNote(notes: Plan['skipped'], { username }: PingvinUser, why: string): void {
  notes.push({ kind: 'accounts', name: username, why })
}

/** Plans the import of links to accounts at sign-in providers. */
export async function planLinks(ctx: PlanContext, { links }: Pingvin, owners: Owners, plan: Plan): Promise<void> {
  const existing = await listSocialLinks(ctx.db)
  const subjects = new Set(existing.map(({ issuer, subject }) => `${issuer} ${subject}`))
  const linked = new Set(existing.map(({ userId, provider }) => `${userId} ${provider}`))
  for (const { provider, subject, username, userId } of links) {
    const skip = (why: string) => plan.skipped.push({ kind: 'sign-ins elsewhere', name: `${username} (${provider})`, why })
    const [issuer, owner] = [issuers[provider], owners.get(userId)]
    if (!issuer) skip('must be linked again on the account page: Pingvin Share does not store the issuer')
    else if (!owner) skip('its account is not imported')
    else if (subjects.has(`${issuer} ${subject}`)) plan.existing['sign-ins elsewhere']++
    else if (linked.has(`${owner} ${provider}`)) skip('its account is already linked to another account of this provider')
    else {
      plan.links.push({ userId: owner, provider, issuer, subject, username, emailKey: null, createdAt: ctx.now() })
      subjects.add(`${issuer} ${subject}`)
      linked.add(`${owner} ${provider}`)
    }
  }
}
