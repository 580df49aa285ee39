import { type IconName, paths } from './icon-paths.ts'

/** A small picture beside or instead of a word; whoever uses it alone names it for screen readers. `size` is in CSS pixels. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg className={`icon icon-${name}`} width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
