import type { TFunction } from 'i18next'
import t from 'tap'
import { deviceText } from '../../web/pages/account/device.ts'

const translate = ((key: string, { browser, system }: Record<string, string> = {}) =>
  key === 'account.device' ? `${browser} on ${system}` : key) as unknown as TFunction
const textOf = (userAgent: string | null) => deviceText(translate, userAgent)

t.test('names a browser by what it is, not by the browsers it claims compatibility with', async (t) => {
  const mozilla = 'Mozilla/5.0'
  const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
  const cases: [string, string][] = [
    [`${mozilla} (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0`, 'Firefox on Windows'],
    [`${mozilla} (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, 'Edge on Windows'],
    [`${mozilla} (X11; Linux x86_64) ${webkit} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    [
      `${mozilla} (Linux; Android 15; SM-S921B) ${webkit} SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36`,
      'Samsung Internet on Android',
    ],
    [
      `${mozilla} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`,
      'Safari on macOS',
    ],
    [
      `${mozilla} (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1`,
      'Chrome on iPhone',
    ],
  ]
  for (const [userAgent, expected] of cases) t.equal(textOf(userAgent), expected)
})

t.test('uses the name other programs send, truncated when long, and handles a missing one', async (t) => {
  t.equal(textOf('curl/8.14.1'), 'curl/8.14.1')
  t.equal(textOf('x'.repeat(500)).length, 60)
  t.equal(textOf(null), 'account.unknownDevice')
  t.equal(textOf(''), 'account.unknownDevice')
})
