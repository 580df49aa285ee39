import type { LinkChanges, ShareLink } from '../src/shares/links/contract.ts'
import { accountInUse } from './account.ts'
import { askOnce } from './ask.ts'
import { usage } from './failure.ts'
import { idOn } from './link.ts'
import type { LinksOptions } from './options.ts'
import type { Output } from './output.ts'
import { Server } from './server.ts'
import { expirationOf, expiryText, limitOf, plain, table } from './texts.ts'

const actions = ['list', 'add', 'change', 'replace', 'off', 'on', 'remove'] as const
type Action = (typeof actions)[number]

/** `razorbill links`: lists and changes the links of a share. */
export async function links(positionals: readonly string[], options: LinksOptions, output: Output): Promise<void> {
  const [action, shareText, linkText, ...others] = positionals
  if (!isAction(action)) throw usage(`What should be done? One of: ${actions.join(', ')}. See: razorbill links --help`)
  if (shareText === undefined) throw usage(`Which share? razorbill links ${action} SHARE`)
  const account = accountInUse()
  const idOf = (text: string) => idOn(account.url, text)
  const [server, id] = [new Server(account), idOf(shareText)]
  const needsLink = action !== 'list' && action !== 'add'
  if (others.length > 0 || needsLink !== (linkText !== undefined)) {
    throw usage(`Which link? razorbill links ${action} SHARE${needsLink ? ' LINK' : ''}`)
  }
  if (action === 'list') return list(await server.call('GET /api/shares/:id/links', { params: { id } }), output)
  if (action === 'add') {
    const { id: newId, to, 'verify-email': verifyEmail } = options
    const recipient = { ...(to !== undefined && { recipient: to }), ...(verifyEmail && { verifyEmail }) }
    const body = { ...(await rulesOf(options)), ...(newId !== undefined && { id: newId }), ...recipient }
    return report(await server.call('POST /api/shares/:id/links', { params: { id }, body }), output)
  }
  await changeLink(server, action, { id, link: idOf(linkText ?? '') }, options, output)
}

async function changeLink(
  server: Server,
  action: Exclude<Action, 'list' | 'add'>,
  params: { id: string; link: string },
  options: LinksOptions,
  output: Output,
): Promise<void> {
  if (action === 'remove') {
    await server.call('DELETE /api/shares/:id/links/:link', { params })
    output.note(`Removed: ${params.link}`)
    return output.result([], { removed: params.link })
  }
  if (action === 'replace') {
    const body = options.id === undefined ? {} : { id: options.id }
    return report(await server.call('POST /api/shares/:id/links/:link/replace', { params, body }), output)
  }
  const body = action === 'change' ? await rulesOf(options) : { enabled: action === 'on' }
  if (Object.keys(body).length === 0) throw usage('What should be changed? See: razorbill links --help')
  report(await server.call('PATCH /api/shares/:id/links/:link', { params, body }), output)
}

function list(all: readonly ShareLink[], output: Output): void {
  const rows = all.map(({ id, label, recipient, state, views, maxViews, downloads, maxDownloads, hasPassword, expiration }) => [
    id,
    plain(label ?? recipient ?? ''),
    state,
    usedOf(views, maxViews),
    usedOf(downloads, maxDownloads),
    hasPassword ? 'yes' : '',
    new Date(expiration).getTime() === 0 ? 'with the share' : expiryText(expiration),
  ])
  output.result(table([['LINK', 'LABEL', 'STATE', 'VIEWS', 'DOWNLOADS', 'PASSWORD', 'EXPIRES'], ...rows]), all)
}

function report(link: ShareLink, output: Output): void {
  output.note(`${link.label === null ? 'The link' : plain(link.label)} is ${link.state}.`)
  output.result(link.link, link)
}

function usedOf(used: number, max: number | null): string {
  return max === null ? String(used) : `${used}/${max}`
}

/** Returns the rules that the options name. */
async function rulesOf(options: LinksOptions): Promise<LinkChanges> {
  const { label, expires, password } = options
  const rules = {
    maxViews: maximum('--max-views', options['max-views']),
    maxDownloads: maximum('--max-downloads', options['max-downloads']),
  }
  return {
    ...(label !== undefined && { label }),
    ...(expires !== undefined && { expiration: expirationOf(expires) }),
    ...(password !== undefined && { password: password || (await askOnce((prompt) => prompt.askSecret('Password for the link: '))) }),
    ...(rules.maxViews !== undefined && { maxViews: rules.maxViews }),
    ...(rules.maxDownloads !== undefined && { maxDownloads: rules.maxDownloads }),
  }
}

function maximum(option: string, text: string | undefined): number | null | undefined {
  return text === 'none' ? null : limitOf(option, text)
}

function isAction(text: string | undefined): text is Action {
  return actions.some((action) => action === text)
}
