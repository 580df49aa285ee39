import { readSettings } from '../config/service.ts'
import { newToken } from '../crypto/tokens.ts'
import { AppError } from '../errors.ts'
import { type ClientContext, clientOf, isClientError } from './client.ts'
import { rediscover } from './discovery.ts'
import { ProviderError } from './errors.ts'
import { exchangeCode } from './flow.ts'
import type { Provider } from './limits.ts'

/**
 * Tries what can be tried of a provider without somebody who signs in, with the saved settings, switched on or not: that it is found, has keys, and takes
 * client ID and secret, by asking for the tokens of a code that is none. Throws `provider_failed` with its words as `reason`.
 */
export async function testConnection(ctx: ClientContext, provider: Provider, base: string): Promise<void> {
  try {
    const client = await clientOf(ctx, provider, await readSettings(ctx), base, rediscover)
    await client.openId?.keys.reload()
    await exchangeCode(client, { code: newToken(), verifier: newToken() })
  } catch (error) {
    if (error instanceof ProviderError && error.code !== null && !isClientError(error) && !/^\d+$/.test(error.code)) return
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError('provider_failed', { message: reason, reason }, { cause: error })
  }
}
