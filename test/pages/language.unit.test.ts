import t from 'tap'
import { chooseLanguage } from '../../src/pages/language.ts'

const have = ['en-US', 'de-DE', 'pt-BR', 'zh-CN', 'zh-TW']

t.test('prefers the cookie when its language is available', async (t) => {
  t.equal(chooseLanguage(have, 'en-US', 'de-DE', 'pt-BR'), 'de-DE')
  t.equal(chooseLanguage(have, 'en-US', 'DE-de', 'pt-BR'), 'de-DE')
  t.equal(chooseLanguage(have, 'en-US', 'xx-XX', 'pt-BR'), 'pt-BR')
  t.equal(chooseLanguage(have, 'en-US', 'de', undefined), 'en-US', 'a cookie never matches by base language')
})

t.test('matches Accept-Language by exact code, then base, in the order of preference', async (t) => {
  t.equal(chooseLanguage(have, 'en-US', undefined, 'zh-TW,zh;q=0.9,en;q=0.8'), 'zh-TW')
  t.equal(chooseLanguage(have, 'en-US', undefined, 'de-AT,en-US;q=0.9'), 'de-DE')
  t.equal(chooseLanguage(have, 'en-US', undefined, 'en-US;q=0.5, pt ; q=0.8'), 'pt-BR')
  t.equal(chooseLanguage(have, 'en-US', undefined, 'fr-FR, pt-PT'), 'pt-BR')
  t.equal(chooseLanguage(have, 'en-US', undefined, 'de;q=0, pt;q=0.1'), 'pt-BR', 'a weight of 0 excludes a language')
})

t.test('prefers the language with the same script', async (t) => {
  for (const code of ['zh-HK', 'zh-MO', 'zh-Hant', 'zh-Hant-HK', 'zh-TW'])
    t.equal(chooseLanguage(have, 'en-US', undefined, code), 'zh-TW', code)
  for (const code of ['zh', 'zh-SG', 'zh-Hans', 'zh-Hans-HK', 'zh-CN'])
    t.equal(chooseLanguage(have, 'en-US', undefined, code), 'zh-CN', code)
  t.equal(chooseLanguage(['en-US', 'sr-SP'], 'en-US', undefined, 'sr-Latn'), 'sr-SP', 'another script is better than another language')
})

t.test('falls back to the language of the site', async (t) => {
  t.equal(chooseLanguage(have, 'de-DE', undefined, 'fr-FR'), 'de-DE')
  t.equal(chooseLanguage(have, 'de-DE', undefined, 'en'), 'en-US')
  t.equal(chooseLanguage(have, 'de-DE', 'pt-BR', undefined), 'pt-BR')
})

t.test('falls back to English', async (t) => {
  for (const header of [undefined, '', '*', 'fr-FR', ';;;q=,', 'd', `${'x'.repeat(10_000)}, de`])
    t.equal(chooseLanguage(have, 'en-US', undefined, header), 'en-US')
})
