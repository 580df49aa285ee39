import { Type } from 'typebox'
import type { Contract } from '../http/contract.ts'

export const Variable = Type.Object({ key: Type.String(), value: Type.String(), type: Type.Enum(['string', 'text', 'number', 'boolean']) })

export const configContract = {
  'GET /api/configs': { summary: 'The public configuration', response: Type.Array(Variable) },
} satisfies Contract
