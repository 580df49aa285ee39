import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { BuiltLanguage } from '../../src/pages/site.ts'

const root = dirname(dirname(import.meta.dirname))

export interface Locale {
  /** Path below the repository's root. */
  file: string
  code: string
  messages: Record<string, string>
}

/** Reads every language's texts. */
export function readLocales(): Locale[] {
  const files = globSync('locales/*.json', { cwd: root })
  return files.map((file) => ({ file, code: basename(file, '.json'), messages: JSON.parse(readFileSync(join(root, file), 'utf8')) }))
}

/** The built files of a language. */
export type LanguageFiles = Pick<BuiltLanguage, 'scripts' | 'integrity'>

/** Describes each language for the server, sorted by name. */
export function describeLanguages(locales: Locale[], filesOf: (locale: Locale) => LanguageFiles): BuiltLanguage[] {
  const languages = locales.map((locale) => {
    const { code, messages } = locale
    return {
      code,
      name: messages['language.name'] ?? code,
      direction: messages['language.direction'] === 'rtl' ? ('rtl' as const) : ('ltr' as const),
      description: messages['app.description'] ?? '',
      noScript: messages['app.noScript'] ?? '',
      failed: messages['crash.text'] ?? '',
      headings: { '/auth/signIn': messages['auth.signInTitle'] ?? '', '/auth/signUp': messages['auth.signUpTitle'] ?? '' },
      previews: {
        '/share/:id': { title: messages['linkPreview.share.title'] ?? '', text: messages['linkPreview.share.text'] ?? '' },
        '/upload/:token': { title: messages['linkPreview.send.title'] ?? '', text: messages['linkPreview.send.text'] ?? '' },
      },
      ...filesOf(locale),
    }
  })
  return languages.sort((a, b) => a.name.localeCompare(b.name))
}
