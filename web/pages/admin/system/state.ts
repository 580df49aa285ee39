import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../api.ts'

/** How the installation is now. */
export const systemState = queryOptions({ queryKey: ['system'], queryFn: () => api('GET /api/system') })
