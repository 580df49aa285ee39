import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api.ts'

/** Reads the state of the installation. */
export const systemState = queryOptions({ queryKey: ['system'], queryFn: () => api('GET /api/system') })
