import { posix } from 'node:path'
import type { Json } from './store.ts'
import type { IsVisible } from './walk.ts'

type Rule = (path: string) => boolean | null

/**
 * Returns who may see what by FileBrowser's rules: the last rule that fits a path decides, first
 * those of the site, then those of the user.
 *
 * @throws {SyntaxError} a rule has a regular expression that only Go understands
 */
export function visibility(settings: Json | undefined, user: Json): IsVisible {
  const rules = [...rulesOf(settings?.rules), ...rulesOf(user.rules)]
  const hidesDotFiles = user.hideDotfiles === true
  return (path) => {
    const clean = posix.normalize(path).replace(/(?<=.)\/$/, '')
    if (hidesDotFiles && posix.basename(clean).startsWith('.')) return false
    let isAllowed = true
    for (const rule of rules) isAllowed = rule(clean) ?? isAllowed
    return isAllowed
  }
}

function rulesOf(value: unknown): Rule[] {
  return Array.isArray(value) ? value.map((rule: Json) => ruleOf(rule)) : []
}

function ruleOf({ regex, allow, path, regexp }: Json): Rule {
  const decision = allow === true
  if (regex === true) {
    const pattern = goPattern(String((regexp as Json | null)?.raw ?? ''))
    return (text) => (pattern.test(text) ? decision : null)
  }
  const start = String(path)
  const folder = start.endsWith('/') ? start : `${start}/`
  return (text) => (text === start || text.startsWith(folder) ? decision : null)
}

/** Go writes flags at the start of a pattern, as in `(?i)secret`. */
function goPattern(raw: string): RegExp {
  const [, flags = '', pattern = raw] = /^\(\?([ims]+)\)(.*)$/s.exec(raw) ?? []
  return new RegExp(pattern, `${flags}u`)
}
