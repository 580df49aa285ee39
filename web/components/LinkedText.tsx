import { piecesOf } from '../lib/linked-text.ts'

/**
 * Shows a text by a user, aligned by its own language, with links for its addresses. Search
 * engines do not follow them.
 */
export function LinkedText({ text, className }: { text: string; className?: string | undefined }) {
  return (
    <p dir="auto" className={className}>
      {piecesOf(text).map(({ text, isLink }, index) =>
        isLink ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces keep their positions
          <a key={index} href={text} target="_blank" rel="noopener nofollow">
            {text}
          </a>
        ) : (
          text
        ),
      )}
    </p>
  )
}
