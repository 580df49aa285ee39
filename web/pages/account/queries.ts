import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { authContract } from '../../../src/auth/contract.ts'
import type { Output } from '../../../src/http/contract.ts'
import { api } from '../../api.ts'

type Listed<K extends keyof typeof authContract> = Output<(typeof authContract)[K]> extends readonly (infer Item)[] ? Item : never
export type Passkey = Listed<'GET /api/auth/passkeys'>
export type OwnSession = Listed<'GET /api/auth/sessions'>
export type ApiToken = Listed<'GET /api/auth/tokens'>

export const totpState = queryOptions({ queryKey: ['account', 'totp'], queryFn: () => api('GET /api/auth/totp') })
export const passkeys = queryOptions({ queryKey: ['account', 'passkeys'], queryFn: () => api('GET /api/auth/passkeys') })
export const sessions = queryOptions({ queryKey: ['account', 'sessions'], queryFn: () => api('GET /api/auth/sessions') })
export const socialLinks = queryOptions({ queryKey: ['account', 'social'], queryFn: () => api('GET /api/oauth/status') })
export const apiTokens = queryOptions({ queryKey: ['account', 'tokens'], queryFn: () => api('GET /api/auth/tokens') })

/** Returns a function that reloads parts of the account. */
export function useReload() {
  const queries = useQueryClient()
  return useCallback(
    async (...names: ('totp' | 'passkeys' | 'sessions' | 'tokens' | 'social')[]) => {
      await Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: ['account', name] })))
    },
    [queries],
  )
}
