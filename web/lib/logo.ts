import { address } from './address.ts'

/**
 * Returns the address of the installation's logo in a size for the header, or of the product's logo
 * if there is none.
 */
export function logoAddress(version: string): string {
  return address(version ? `/api/logo/192.png?v=${version}` : '/favicon.svg')
}
