import { settings } from '../../../start.ts'

/** Shows a logo as visitors see it: large, and beside the name in both color schemes. */
export function LogoPreview({ address, title }: { address: string; title: string }) {
  return (
    <figure className="logo-preview stack">
      <figcaption className="soft">{title}</figcaption>
      <div className="logo-samples toolbar">
        <img src={address} alt={title} width="96" height="96" />
        {(['light', 'dark'] as const).map((scheme) => (
          <span key={scheme} className="logo-sample line" data-theme={scheme} aria-hidden="true">
            <img src={address} alt="" width="34" height="34" />
            <span>{settings['general.appName']}</span>
          </span>
        ))}
      </div>
    </figure>
  )
}
