import type { TFunction } from 'i18next'
import type { OpenedShare } from '../../src/downloads/contract.ts'
import type { FirstSight } from '../../src/http/site.ts'
import { showInvisible } from '../../src/invisible-characters.ts'
import type { UserDTO } from '../../src/users/contract.ts'
import { type IconName, paths } from '../components/icon-paths.ts'
import { formatBytes, formatDistance, formatPercent, isNever } from '../format.ts'
import { fileAddress, sharePath, zipAddress } from '../pages/share/addresses.ts'
import { iconOf, isPreviewable } from '../pages/share/file-kinds.ts'
import { type Entry, listFolder, long, many, screenful } from '../pages/share/folders.ts'
import { titleOf } from '../pages/share/title.ts'
import { type Html, html } from './html.ts'

/**
 * A share as ShareView.tsx, FolderPath.tsx, FileList.tsx and FileRow.tsx show it a moment later, with the first screenful where its list is long; what needs
 * the application is there, and waits for it.
 */
export function share({ share, metaData, folder }: OpenedShare, user: UserDTO | null, t: TFunction, language: string): FirstSight {
  const entries = listFolder(share.files, folder, { by: 'name', descending: false }, language)
  const shown = entries.length > long ? entries.slice(0, screenful) : entries
  const kinds = shown.map(({ file, name }) => (file ? iconOf(name) : 'folder'))
  const by = share.name && share.creator && t('share.by', { name: share.creator.username })
  const page = html`<article class="share">
    <header class="share-head card">
      <div class="share-words">
        <h1 class="own-words">${titleOf(share, t)}</h1>
        <p class="facts soft">
          <span>${t('share.files', { count: share.files.length })}</span><span>${formatBytes(share.size)}</span>
          ${by && html`<span>${by}</span>`}
          ${!isNever(share.expiration) && html`<span>${t('share.expires')} ${formatDistance(share.expiration)}</span>`}
        </p>
        ${share.description && html`<p class="share-description own-words">${share.description}</p>`}
        <div class="actions">
          ${share.files.length > 1 ? allFiles(share.id, metaData, t) : share.files.map(({ id }) => mainButton(fileAddress(share.id, id), t('share.download')))}
          ${button('link', t('share.showLink'))}
          ${user !== null && share.creator?.username === user.username && button('pencil', t('shares.edit'), `${sharePath(share.id)}/edit`)}
        </div>
      </div>
      <svg class="share-picture" viewBox="0 0 240 210" aria-hidden="true"></svg>
    </header>
    <section class="files card" aria-label="${t('share.fileList')}">
      ${share.files.length > many && html`<div class="file-search"></div>`}
      ${folder !== '' && folderPath(share.id, folder, t)}
      <table class="file-table" aria-rowcount="${entries.length + 1}">
        <thead><tr>${head('name', t)}${head('size', t)}<th scope="col"><span class="visually-hidden">${t('share.actions')}</span></th></tr></thead>
        <tbody>${shown.map((entry) => row(share.id, folder, entry, t))}</tbody>
      </table>
      ${entries.length === 0 && html`<p class="soft files-none">${t('share.emptyFolder')}</p>`}
    </section>
    ${pictures([...new Set<IconName>(['download', 'link', 'pencil', 'info', 'down', 'chevron', ...kinds])])}
  </article>`
  return { html: page.source, usable: true, whole: shown.length === entries.length }
}

function allFiles(id: string, { zip }: OpenedShare['metaData'], t: TFunction): Html {
  if (zip.state === 'ready') return mainButton(zipAddress(id), t('share.downloadAll'))
  if (zip.state === 'failed') return html`<p class="zip-note" role="status">${icon('info')} ${t('error.zip_failed')}</p>`
  const text = t('share.preparing', { percent: formatPercent(zip.progress) })
  return html`<button type="button" class="first-button first-button-main" disabled>${icon('download')}<span>${text}</span></button>`
}

function mainButton(address: string, text: string): Html {
  return html`<a class="first-button first-button-main" href="${address}" download>${icon('download')}<span>${text}</span></a>`
}

/** Without an address it needs the application. */
function button(name: IconName, text: string, address?: string): Html {
  const inside = html`${icon(name)}<span>${text}</span>`
  return address
    ? html`<a class="first-button" href="${address}">${inside}</a>`
    : html`<button type="button" class="first-button" disabled>${inside}</button>`
}

function head(by: 'name' | 'size', t: TFunction): Html {
  const mark = html`<span class="sort-mark ${by === 'name' && 'ascending'}">${icon('down', 16)}</span>`
  return html`<th scope="col" class="file-${by}-head"><span class="sort">${t(`share.sort.${by}`)}${mark}</span></th>`
}

/** The way back up. */
function folderPath(id: string, folder: string, t: TFunction): Html {
  const names = folder.split('/')
  const steps = names.map((name, index) => {
    const here = index === names.length - 1 && html` aria-current="location"`
    const address = inFolder(names.slice(0, index + 1).join('/'))
    return html`${icon('chevron', 16)}<a class="text-button" href="${address}"${here}><bdi>${showInvisible(name)}</bdi></a>`
  })
  return html`<nav class="folder-path" aria-label="${t('share.folderPath')}"><a class="text-button" href="${sharePath(id)}">${t('share.allFiles')}</a>${steps}</nav>`
}

const inFolder = (path: string) => `?folder=${encodeURIComponent(path)}`

function row(shareId: string, folder: string, { file, name, size, count }: Entry, t: TFunction): Html {
  const kind = file ? iconOf(name) : 'folder'
  const bytes = formatBytes(size)
  const address = file ? fileAddress(shareId, file.id) : inFolder(folder === '' ? name : `${folder}/${name}`)
  const link =
    file && !isPreviewable(name)
      ? html`<a class="file-link" href="${address}" download><bdi>${showInvisible(name)}</bdi></a>`
      : html`<a class="file-link" href="${file ? fileAddress(shareId, file.id, true) : address}"><bdi>${showInvisible(name)}</bdi></a>`
  const below = file
    ? html`<span class="file-size-below soft">${bytes}</span>`
    : html`<span class="file-count soft">${t('share.files', { count })}<span class="file-size-below">, ${bytes}</span></span>`
  const actions = file
    ? html`<button type="button" class="icon-button" disabled aria-label="${t('share.linkOf', { name: showInvisible(name) })}">${icon('link')}</button><a class="icon-button" href="${address}" download aria-label="${t('share.downloadOf', { name: showInvisible(name) })}">${icon('download')}</a>`
    : icon('chevron')
  return html`<tr>
    <th scope="row" class="file-name"><span class="file-icon file-icon-${kind}">${icon(kind)}</span><span class="file-words">${link}${below}</span></th>
    <td class="file-size">${bytes}</td>
    <td class="row-actions">${actions}</td>
  </tr>`
}

function icon(name: IconName, size = 20): Html {
  return html`<svg class="icon icon-${name}" width="${size}" height="${size}" aria-hidden="true"><use href="#icon-${name}"></use></svg>`
}

/** Each picture once, for all that use it. */
function pictures(names: IconName[]): Html {
  const symbols = names.map((name) => html`<symbol id="icon-${name}" viewBox="0 0 24 24"><path d="${paths[name]}"></path></symbol>`)
  return html`<svg class="visually-hidden" aria-hidden="true">${symbols}</svg>`
}
