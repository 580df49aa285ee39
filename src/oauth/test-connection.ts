import { readSettings } from '../config/service.ts'
import { newToken } from '../crypto/tokens.ts'
import { AppError } from '../errors.ts'
import { type ClientContext, clientOf, isClientError } from './client.ts'
import { discoverUncached } from './discovery.ts'
import { ProviderError } from './errors.ts'
import { exchangeCode } from './flow.ts'
import type { Provider } from './limits.ts'

/**
 * Tests the saved settings of a provider, even if it is not enabled, without a sign-in. It checks
 * discovery and keys, and by exchanging an invalid code whether the provider accepts client ID and
 * secret.
 * @throws {AppError} provider_failed: with the provider's message as `reason`
 */
export async function testConnection(ctx: ClientContext, provider: Provider, base: string): Promise<void> {
  try {
    const client = await clientOf(ctx, provider, await readSettings(ctx), base, discoverUncached)
    await client.openId?.keys.reload()
    await exchangeCode(client, { code: newToken(), verifier: newToken() })
  } catch (error) {
    if (error instanceof ProviderError && error.code !== null && !isClientError(error) && !/^\d+$/.test(error.code)) return
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError('provider_failed', { reason }, { cause: error })
  }
}
