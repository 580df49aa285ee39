export const usernamePattern = '^[A-Za-z0-9_.]+$'
export const usernameMinLength = 3
export const usernameMaxLength = 32
export const emailMaxLength = 254
export const passwordMinLength = 8
export const passwordMaxLength = 512
