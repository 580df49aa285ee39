import type { Icons } from './page-html.ts'
import type { BuiltLanguage } from './site.ts'

const paper = '#f6f5fb' // --paper of web/styles.css

interface ManifestParts {
  basePath: string
  appName: string
  language: BuiltLanguage
  /** null: the product's icons. */
  icons: Icons | null
}

interface ManifestIcon {
  src: string
  sizes: string
  type: 'image/png'
  purpose: 'any' | 'maskable'
}

/**
 * Returns the W3C Web Application Manifest, for installation as an app. It includes a Web Share
 * Target for files from a phone's share menu.
 */
export function webManifest({ basePath, appName, language, icons }: ManifestParts) {
  return {
    id: `${basePath}/`,
    name: appName,
    short_name: appName,
    description: language.description,
    lang: language.code,
    dir: language.direction,
    start_url: `${basePath}/`,
    scope: `${basePath}/`,
    display: 'standalone',
    theme_color: paper,
    background_color: paper,
    icons: (icons ? ownIcons(icons) : productIcons).map((icon) => ({ ...icon, src: basePath + icon.src })),
    share_target: {
      action: `${basePath}/upload`,
      method: 'POST',
      enctype: 'multipart/form-data',
      params: { files: [{ name: 'files', accept: ['*/*'] }] },
    },
  }
}

const icon = (src: string, size: number, purpose: ManifestIcon['purpose'] = 'any'): ManifestIcon => ({
  src,
  sizes: `${size}x${size}`,
  type: 'image/png',
  purpose,
})

const productIcons = [icon('/icons/192.png', 192), icon('/icons/512.png', 512), icon('/icons/maskable-512.png', 512, 'maskable')]

function ownIcons(icons: Icons): ManifestIcon[] {
  return [icon(icons[192], 192), icon(icons[512], 512)]
}
