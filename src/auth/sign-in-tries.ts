import { networkTries } from '../http/networks.ts'
import { giveTriesBack, type Limiters, resetTries, type Try, takeTries } from '../http/rate-limit.ts'
import { signInTries, signInTriesOfAccount, signInTriesOfAddress, signInTriesOfDevice } from './limits.ts'

/** What a sign-in counts towards. */
export interface SignInTries {
  /** Forgotten when the sign-in succeeds. */
  own: Try
  /** Given one try back when the sign-in succeeds. */
  others: Try[]
}

/** Returns what a try to sign in to `account` counts towards: its network's limits and the account's, or only that of a `knownDevice` of the account. */
export function triesOf(account: string, address: string, knownDevice: string | null): SignInTries {
  if (knownDevice) return { own: [signInTriesOfDevice, knownDevice], others: [] }
  const [own, ...around] = networkTries(signInTries, address, account)
  const others = [...networkTries(signInTriesOfAddress, address), ...around, [signInTriesOfAccount, account] as const]
  return { own: own!, others }
}

/** Counts a sign-in before it is tried. Throws `too_many_requests`. */
export function takeSignIn(ctx: { limiters: Limiters }, { own, others }: SignInTries): Promise<void> {
  return takeTries(ctx, [own, ...others])
}

/** Makes up for a sign-in that has succeeded. */
export async function forgiveSignIn(ctx: { limiters: Limiters }, { own, others }: SignInTries): Promise<void> {
  await giveTriesBack(ctx, others)
  await resetTries(ctx, ...own)
}
