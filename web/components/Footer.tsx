import { footerItems } from '../lib/footer.ts'
import { settings } from '../start.ts'

/** Shows the administrator's texts and links at the bottom of every page. */
export function Footer() {
  const items = footerItems(settings['general.footer'])
  if (items.length === 0) return null
  return (
    <footer className="footer">
      <ul className="toolbar">
        {items.map(({ text, href }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the items never change
          <li key={index} dir="auto">
            {href ? <a href={href}>{text}</a> : text}
          </li>
        ))}
      </ul>
    </footer>
  )
}
