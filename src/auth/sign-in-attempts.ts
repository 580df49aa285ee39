import { networkAttempts } from '../http/networks.ts'
import { type Attempt, consumeAttempts, type Limiters, refundAttempts, resetAttempts } from '../http/rate-limit.ts'
import { signInAttempts, signInAttemptsPerAccount, signInAttemptsPerAddress, signInAttemptsPerDevice } from './limits.ts'

/** The counters of a sign-in. */
interface SignInAttempts {
  /** Reset when the sign-in succeeds. */
  primary: Attempt
  /** Refunded by one attempt when the sign-in succeeds. */
  others: Attempt[]
}

/**
 * Returns the counters of a sign-in to `account`: those of its network and of the account.
 * A known device of the account (`deviceId`) has only its own counter.
 */
export function attemptsOf(account: string, address: string, deviceId: string | null): SignInAttempts {
  if (deviceId) return { primary: [signInAttemptsPerDevice, deviceId], others: [] }
  const [primary, ...larger] = networkAttempts(signInAttempts, address, account)
  const others = [...networkAttempts(signInAttemptsPerAddress, address), ...larger, [signInAttemptsPerAccount, account] as const]
  return { primary, others }
}

/**
 * Counts a sign-in before its password is checked.
 * @throws {AppError} too_many_requests
 */
export function consumeSignIn(ctx: { limiters: Limiters }, { primary, others }: SignInAttempts): Promise<void> {
  return consumeAttempts(ctx, [primary, ...others])
}

/** Refunds the attempts of a sign-in that has succeeded. */
export async function refundSignIn(ctx: { limiters: Limiters }, { primary, others }: SignInAttempts): Promise<void> {
  await refundAttempts(ctx, others)
  await resetAttempts(ctx, ...primary)
}
