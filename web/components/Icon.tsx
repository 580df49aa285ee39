import { type IconName, paths } from './icon-paths.ts'

const symbolId = (name: IconName) => `icon-${name}`

/** Defines icons that a page shows many times; `RepeatedIcon` refers to them. */
export function IconSymbols({ names }: { names: readonly IconName[] }) {
  return (
    <svg className="visually-hidden" aria-hidden="true">
      {names.map((name) => (
        <symbol key={name} id={symbolId(name)} viewBox="0 0 24 24">
          <path d={paths[name]} />
        </symbol>
      ))}
    </svg>
  )
}

/** An icon that `IconSymbols` defines. */
export function RepeatedIcon({ name }: { name: IconName }) {
  return (
    <svg className={`icon icon-${name}`} width={20} height={20} aria-hidden="true">
      <use href={`#${symbolId(name)}`} />
    </svg>
  )
}

/**
 * An icon beside or instead of a word. An icon without a word needs a label for screen readers.
 * `size` is in CSS pixels.
 */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg className={`icon icon-${name}`} width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
