import { type Static, Type } from 'typebox'
import type { Contract } from '../http/contract.ts'

/** A user as everybody who may see one sees them; never a hash or a secret. */
export const UserDTO = Type.Object({
  id: Type.String(),
  username: Type.String(),
  email: Type.String(),
  hasPassword: Type.Boolean(),
  isAdmin: Type.Boolean(),
  totpVerified: Type.Boolean(),
  createdAt: Type.String(),
})
export type UserDTO = Static<typeof UserDTO>

export const usersContract = {
  'GET /api/users/me': { summary: 'The signed-in user', response: UserDTO },
} satisfies Contract
