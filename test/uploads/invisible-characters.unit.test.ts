import t from 'tap'
import { contentDisposition } from '../../src/downloads/bytes/disposition.ts'
import { zipNames } from '../../src/downloads/zip/names.ts'
import { isBlank, removeInvisible, showInvisible, visibleText } from '../../src/invisible-characters.ts'
import { defaultTexts } from '../../src/mail/default-texts.ts'
import { render } from '../../src/mail/templates.ts'
import { checkFileName } from '../../src/uploads/names.ts'

const directions = [0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069]
const zeroWidth = [0x200b, 0x200c, 0x200d, 0x2060, 0x2063, 0xfeff, 0x3164]

t.test('shows direction marks and zero-width characters escaped, and removes them', async (t) => {
  for (const code of [...directions, ...zeroWidth]) {
    const shown = `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`
    const name = `ann${String.fromCharCode(code)}gpj.exe`
    t.equal(showInvisible(name), `ann${shown}gpj.exe`)
    t.equal(removeInvisible(name), 'anngpj.exe')
  }
  t.equal(showInvisible('\u202e'), '[U+202E]')
})

t.test('keeps joiners only where a script or an emoji needs them', async (t) => {
  for (const name of ['می‌خواهم.txt', 'क्‍ष.pdf', '👩‍👩‍👧.jpg', '❤️‍🔥.png', '🏳️‍🌈', 'שלום.txt', 'schön 漢字 🎉.txt']) {
    t.equal(showInvisible(name), name)
    t.equal(removeInvisible(name), name)
  }
  t.equal(showInvisible('a\u200db'), 'a[U+200D]b')
  t.equal(showInvisible('д\u200cа'), 'д[U+200C]а')
  t.equal(showInvisible('می\u200c\u200cخواهم'), 'می[U+200C][U+200C]خواهم')
  t.equal(showInvisible('می\u200c'), 'می[U+200C]')
})

t.test('treats text without visible characters as blank', async (t) => {
  for (const text of ['', ' ', '\u3000', '\u200b', '\ufeff \u2060', '\u202e', '\u2800', '\u3164', '\ufe0f']) {
    t.ok(isBlank(text), JSON.stringify(text))
    t.equal(visibleText(text), null)
  }
  for (const text of ['a', '.', '\u200ba', '漢']) t.notOk(isBlank(text), JSON.stringify(text))
  t.equal(visibleText(' a '), 'a')
  t.equal(visibleText(undefined), null)
})

t.test('removes direction marks from downloads and archives', async (t) => {
  t.equal(contentDisposition('attachment', 'ann\u202egpj.exe'), 'attachment; filename="anngpj.exe"')
  t.equal(contentDisposition('attachment', '\u200bä\u2066.txt'), `attachment; filename="_.txt"; filename*=UTF-8''%C3%A4.txt`)
  t.equal(contentDisposition('attachment', '\u200b'), 'attachment; filename="_"')
  t.same(zipNames(['pho\u202etos/ann\u202egpj.exe', '\u2066/a\u200b.txt', 'a', 'a\u200b']), ['photos/anngpj.exe', '_/a.txt', 'a', 'a (1)'])
})

t.test('escapes direction marks in emails', async (t) => {
  const texts = { ...defaultTexts('en-US'), 'general.language': 'en-US', 'email.shareRecipientsSubject': '{creator}: {desc}' }
  const variables = {
    title: 'Offer',
    files: '1 file',
    size: '1 kB',
    creator: 'bob\u202e',
    shareUrl: 'https://files.example/share/a',
    desc: 'ann\u202egpj.exe',
    expires: null,
  }
  const { subject, text } = render(texts, { to: 'ann@example.com', kind: 'shareRecipients', variables })
  t.equal(subject, 'bob[U+202E]: ann[U+202E]gpj.exe')
  t.match(text, 'bob[U+202E]')
  t.notMatch(text, '\u202e')
})

t.test('rejects a file or folder name without visible characters', async (t) => {
  for (const name of [' ', '\u200b', '\u202e\u202c', 'photos/ ', '\u2060/a.txt', '\u3000.\u3000/\u00a0']) {
    t.throws(() => checkFileName(name), { code: 'file_name_invalid', details: { rule: 'blank' } }, JSON.stringify(name))
  }
  for (const name of ['ann\u202egpj.exe', ' a', '👩‍👩‍👧.jpg']) t.doesNotThrow(() => checkFileName(name))
})
