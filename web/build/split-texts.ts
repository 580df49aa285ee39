import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const locale = /\/locales\/[\w-]+\.json(\?admin)?$/
const ofAdministration = /^(config|intro|system|users)\./
const ofEmails = /^mail\./

/**
 * Splits each language's texts, so that most pages load less: `xx.json?admin` has those of the
 * administration, and `xx.json` the others. Texts of emails are in neither.
 */
export function splitTexts(): Plugin {
  return {
    name: 'split-texts',
    enforce: 'pre',
    load: {
      filter: { id: locale },
      handler(id) {
        const [file = id, part] = id.split('?')
        this.addWatchFile(file)
        const isWanted = (key: string) => ofAdministration.test(key) === (part === 'admin') && !ofEmails.test(key)
        const texts = Object.entries<string>(JSON.parse(readFileSync(file, 'utf8')))
        const code = JSON.stringify(Object.fromEntries(texts.filter(([key]) => isWanted(key))))
        return { code: part ? `export default ${code}` : code, moduleType: part ? 'js' : 'json' } // Vite takes only the latter for JSON
      },
    },
  }
}
