const ending = /\s*(https?:\/\/\S+)$/i

/** A text of the footer, with the address that it leads to if it has one. */
interface FooterItem {
  text: string
  href: string | null
}

/** Reads the footer: each line is a text, or a text and its address, such as `Imprint https://…`. */
export function footerItems(footer: string): FooterItem[] {
  return footer
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [end, href = null] = ending.exec(line) ?? []
      if (end === undefined || href === null || !URL.canParse(href)) return { text: line, href: null }
      return { text: line.slice(0, -end.length) || href, href }
    })
}
