import { networkAttempts } from '../http/networks.ts'
import { type Attempt, consumeAttempts, type Limiters, refundAttempts, resetAttempts } from '../http/rate-limit.ts'
import { signInAttempts, signInAttemptsPerAccount, signInAttemptsPerAddress, signInAttemptsPerDevice } from './limits.ts'

/** What a sign-in counts towards. */
export interface SignInAttempts {
  /** Forgotten when the sign-in succeeds. */
  own: Attempt
  /** Given one try back when the sign-in succeeds. */
  others: Attempt[]
}

/**
 * Returns what a try to sign in to `account` counts towards: its network's limits and the
 * account's, or only that of a `knownDeviceId` of the account.
 */
export function attemptsOf(account: string, address: string, knownDevice: string | null): SignInAttempts {
  if (knownDevice) return { own: [signInAttemptsPerDevice, knownDevice], others: [] }
  const [own, ...around] = networkAttempts(signInAttempts, address, account)
  const others = [...networkAttempts(signInAttemptsPerAddress, address), ...around, [signInAttemptsPerAccount, account] as const]
  return { own: own!, others }
}

/** Counts a sign-in before it is tried. Throws `too_many_requests`. */
export function consumeSignIn(ctx: { limiters: Limiters }, { own, others }: SignInAttempts): Promise<void> {
  return consumeAttempts(ctx, [own, ...others])
}

/** Makes up for a sign-in that has succeeded. */
export async function refundSignIn(ctx: { limiters: Limiters }, { own, others }: SignInAttempts): Promise<void> {
  await refundAttempts(ctx, others)
  await resetAttempts(ctx, ...own)
}
