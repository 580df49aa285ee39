import createMarkdown from 'markdown-it'

/**
 * Markdown without HTML and without pictures, which could request anything. Links lead to other
 * sites only, so that a text can't send its reader to an action of this one.
 */
const markdown = createMarkdown({ html: false, linkify: true }).disable('image')
markdown.validateLink = (link) => /^(https?:\/\/|mailto:)/i.test(link.trim())

const { rules } = markdown.renderer
rules.link_open = (tokens, index, options, _env, self) => {
  tokens[index]?.attrSet('target', '_blank')
  tokens[index]?.attrSet('rel', 'noopener noreferrer nofollow')
  return self.renderToken(tokens, index, options)
}
/** Aligned cells would have a style attribute, which the content security policy refuses. */
rules.th_open = () => '<th>'
rules.td_open = () => '<td>'

/** Returns the HTML of a text in Markdown. It contains no HTML of the text and no script. */
export function renderMarkdown(text: string): string {
  return markdown.render(text)
}
