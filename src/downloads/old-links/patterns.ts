/**
 * A link of another product. `address` is the key of its row; `opens` says whether it shows a page
 * or returns bytes; `path` names a folder or file inside a shared folder.
 */
export interface OldLink {
  address: string
  opens: 'page' | 'bytes' | 'upload'
  path: string
  inline: boolean
}

type Opens = OldLink['opens']
type Found = Omit<OldLink, 'inline'> & { inline?: boolean }

interface Pattern {
  path: RegExp
  link(match: RegExpExecArray, query: URLSearchParams): Found | null
}

const found = (product: string, id: string | null | undefined, opens: Opens, path = '', inline = false): Found | null =>
  id ? { address: `${product}:${id}`, opens, path, inline } : null

/**
 * The addresses of Gokapi, FileBrowser, FileBrowser Quantum and Palmr that are not addresses here.
 */
const patterns: Pattern[] = [
  { path: /^\/d$/, link: (_, query) => found('gokapi', query.get('id'), 'page') },
  { path: /^\/d\/([^/]+)\/[^/]*$/, link: ([, id]) => found('gokapi', id, 'page') },
  { path: /^\/downloadFile$/, link: (_, query) => found('gokapi', query.get('id'), 'bytes') },
  { path: /^\/dh\/([^/]+)\/[^/]*$/, link: ([, id]) => found('gokapi', id, 'bytes', '', true) },
  { path: /^\/(?:h|hotlink)\/([^/]+)$/, link: ([, id]) => found('gokapi-hotlink', id, 'bytes', '', true) },
  {
    path: /^\/publicUpload$/,
    link: (_, query) => found('gokapi-request', query.get('id') && `${query.get('id')}:${query.get('key') ?? ''}`, 'upload'),
  },
  { path: /^(?:\/public)?\/share\/([^/]+)\/?(.*)$/, link: ([, hash, path]) => found('filebrowser', hash, 'page', path) },
  {
    path: /^\/api\/public\/dl\/([^/]+)\/?(.*)$/,
    link: ([, hash, path], query) => found('filebrowser', hash, 'bytes', path, query.get('inline') === 'true'),
  },
  {
    path: /^\/public\/api\/(?:raw|resources\/download)$/,
    link: (_, query) => found('filebrowser', query.get('hash'), 'bytes', filesOf(query), query.get('inline') === 'true'),
  },
  { path: /^\/r\/([^/]+)$/, link: ([, alias]) => found('palmr', alias, 'upload') },
  { path: /^\/e\/([^/]+)$/, link: ([, id]) => found('palmr-file', id, 'bytes', '', true) },
]

const longest = 2000 // characters of an address

/** Reads the address of a request; null if no other product has such links. */
export function oldLinkOf(url: string): OldLink | null {
  if (url.length > longest) return null
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(url) ?? []
  for (const pattern of patterns) {
    const match = pattern.path.exec(path)
    const link = match && pattern.link(match, new URLSearchParams(query))
    if (link) return decoded({ inline: false, ...link })
  }
  return null
}

function decoded(link: OldLink): OldLink | null {
  try {
    const path = decodeURIComponent(link.path).replace(/^\/+|\/+$/g, '')
    return /\0/.test(path + decodeURIComponent(link.address)) ? null : { ...link, address: decodeURIComponent(link.address), path }
  } catch {
    return null
  }
}

/** Returns the one file that a request of FileBrowser Quantum names; empty for several files. */
function filesOf(query: URLSearchParams): string {
  const names = [...query.getAll('file'), ...query.getAll('files'), ...query.getAll('path')].filter((name) => name !== '' && name !== '/')
  return names.length === 1 ? encodeURIComponent(names[0] ?? '') : ''
}
