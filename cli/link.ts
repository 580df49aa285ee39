import { serverUrl } from './account.ts'
import { Failure, usage } from './failure.ts'
import type { Output } from './output.ts'
import { expiryText, plural, sizeText } from './texts.ts'
import type { UploadShare } from './unfinished.ts'
import { wholeLinkOf } from './upload-encryption.ts'

/** Returns the ID of the file that a link opens; null if it is the link of a whole share. */
export function linkedFile(link: string): string | null {
  return URL.canParse(link) ? new URL(link).searchParams.get('preview') : null
}

/** Returns the server and the id of a share's link; `base` returns the server of a bare id. */
export function readLink(text: string, base: () => string): { url: string; id: string } {
  const [, before, id] = /^(https?:\/\/.+?)\/(?:s|share)\/([A-Za-z0-9_-]+)\/?(?:[?#][\s\S]*)?$/.exec(text) ?? []
  if (before && id) return { url: serverUrl(before), id }
  const [bareId = ''] = text.split('#')
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(bareId)) throw usage(`"${text}" is neither the link of a share nor its id.`)
  return { url: base(), id: bareId }
}

/** Returns the id of a share on this server. @throws Failure `usage` for the link of another server */
export function idOn(server: string, text: string): string {
  const { url, id } = readLink(text, () => server)
  if (url !== server) throw usage(`${text} is not on ${server}.`)
  return id
}

/** Reports the completed share, with its whole link. */
export function reportShare(share: UploadShare, files: readonly { name: string; size: number }[], output: Output): void {
  const { id, expiration } = share
  const link = wholeLinkOf(share)
  const size = files.reduce((sum, file) => sum + file.size, 0)
  output.note(`Done: ${plural(files.length, 'file')}, ${sizeText(size)}, expires: ${expiryText(expiration)}`)
  const listed = files.map(({ name, size }) => ({ name, size }))
  output.result(link, { id, link, expiration, size, files: listed })
}

/** Returns the failure for a transfer that another process works on. */
export const busy = (what: string) => new Failure('failure', 'busy', `Another razorbill is working on ${what} right now.`)
