import { isKnownHash } from '../../crypto/passwords.ts'
import { isUuid } from '../../http/formats.ts'
import { nameKey } from '../../users/queries.ts'
import { isStorable } from './numbers.ts'
import type { ImportOptions, Plan, PlanContext } from './plan.ts'
import { listSocialLinks, listUsers } from './queries.ts'
import type { Source, SourceUser } from './source.ts'

/** Maps the other product's user ids to the ids here. */
export type Owners = ReadonlyMap<string, string>

/**
 * Issuers with fixed subjects. Those of other providers depend on the tenant or the discovery
 * document.
 */
const issuers: Record<string, string> = {
  github: 'https://github.com',
  google: 'https://accounts.google.com',
  discord: 'https://discord.com',
}

/** The domain of addresses for users without one; no email can reach it (RFC 2606, section 2). */
const unreachableDomain = 'import.invalid'

/**
 * Plans the import of users. A user with the name and email address of an existing account becomes
 * that account, which stays unchanged.
 */
export async function planUsers(ctx: PlanContext, { users, product }: Source, { sameNames }: ImportOptions, plan: Plan): Promise<Owners> {
  const accounts = await listUsers(ctx.db)
  const ids = new Set(accounts.map(({ id }) => id))
  const byName = new Map(accounts.map(({ id, usernameKey }) => [usernameKey, id]))
  const byEmail = new Map(accounts.map(({ id, emailKey }) => [emailKey, id]))
  const owners = new Map<string, string>()
  for (const user of users) {
    const email = user.email ?? addressOf(user)
    const [usernameKey, emailKey] = [nameKey(user.username), nameKey(email)]
    const [sameName, sameEmail] = [byName.get(usernameKey), byEmail.get(emailKey)]
    const isSame = sameName !== undefined && (sameName === sameEmail || (sameNames && sameEmail === undefined))
    const why = reasonToSkip(user, product)
    if (ids.has(user.id)) plan.existing.accounts++
    else if (isSame) {
      plan.existing.accounts++
      const what = sameName === sameEmail ? 'name and email address' : 'name'
      addNote(plan.changed, user, `has an account here with this ${what}: it keeps its password and gets the shares`)
    } else if (sameName || sameEmail || why) {
      addNote(plan.skipped, user, why ?? conflictOf(sameName, user))
      continue
    } else {
      plan.users.push({
        ...rowOf(ctx, user, email),
        usernameKey,
        emailKey,
        emailVerified: user.email !== null && user.emailVerified !== false,
      })
      for (const change of user.changes) addNote(plan.changed, user, change)
      if (user.email === null) addNote(plan.changed, user, `has no email address in ${product}: it gets ${email} until one is set`)
      byName.set(usernameKey, user.id)
      byEmail.set(emailKey, user.id)
    }
    owners.set(user.id, ids.has(user.id) ? user.id : (sameName ?? user.id))
  }
  return owners
}

function conflictOf(sameName: string | undefined, { email }: SourceUser): string {
  if (!sameName) return 'another account here has this email address'
  return `another account here has this name${email === null ? '; with --same-names, that account gets the shares' : ''}`
}

function addressOf({ username, id }: SourceUser): string {
  const isPlain = /^[\w.+-]{1,60}$/.test(username)
  return `${isPlain ? username : id}@${unreachableDomain}`
}

function rowOf({ sealer }: PlanContext, { id, username, isAdmin, passwordHash, totpSecret, createdAt }: SourceUser, email: string) {
  return {
    ...{ id, username, email, isAdmin, passwordHash, createdAt },
    totpSecret: totpSecret === null ? null : sealer.seal(totpSecret),
    totpVerified: totpSecret !== null,
  }
}

function reasonToSkip({ id, username, passwordHash, problem, createdAt }: SourceUser, product: string): string | null {
  if (problem) return problem
  if (!isUuid(id) || !username || !isStorable(createdAt)) return 'its row is damaged'
  return passwordHash === null || isKnownHash(passwordHash) ? null : `its password hash is not from ${product}`
}

function addNote(notes: Plan['skipped'], { username }: SourceUser, why: string): void {
  notes.push({ kind: 'accounts', name: username, why })
}

/** Plans the import of links to accounts at sign-in providers. */
export async function planLinks(ctx: PlanContext, { links, product }: Source, owners: Owners, plan: Plan): Promise<void> {
  const existing = await listSocialLinks(ctx.db)
  const subjects = new Set(existing.map(({ issuer, subject }) => `${issuer} ${subject}`))
  const linked = new Set(existing.map(({ userId, provider }) => `${userId} ${provider}`))
  for (const { provider, subject, username, userId } of links) {
    const skip = (why: string) => plan.skipped.push({ kind: 'sign-ins elsewhere', name: `${username} (${provider})`, why })
    const [issuer, owner] = [issuers[provider], owners.get(userId)]
    if (!issuer) skip(`must be linked again on the account page: ${product} does not store the issuer`)
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
