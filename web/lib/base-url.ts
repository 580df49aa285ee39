import { settings } from '../start.ts'
import { address } from './address.ts'

/** Returns the URL of this installation without a trailing slash. */
export const baseUrl = () => settings['general.appUrl'].trim().replace(/\/+$/, '') || location.origin + address('')

/** Returns the whole link of a share, or a further one, by its ID. */
export const linkUrl = (id: string) => `${baseUrl()}/share/${id}`
