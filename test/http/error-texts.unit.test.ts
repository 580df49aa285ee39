import t from 'tap'
import english from '../../locales/en-US.json' with { type: 'json' }
import { AppError, type ErrorCode, errorStatus } from '../../src/errors.ts'

t.test('uses the English text of every error as its message', async (t) => {
  const texts: Record<string, string> = english
  const different = Object.keys(errorStatus).filter((code) => new AppError(code as ErrorCode).message !== texts[`error.${code}`])
  t.same(different, [])
})

t.test('fills placeholders from the details', async (t) => {
  const cases: [ErrorCode, Record<string, unknown>, string][] = [
    ['share_too_large', { max: 1_500_000_000 }, 'Your files exceed the maximum share size of 1.5 GB.'],
    [
      'storage_quota_exceeded',
      { max: 999 },
      'Not enough of your storage of 999 B is left. Delete a share, or ask an administrator for more.',
    ],
    ['too_many_recipients', { max: 100 }, 'A share can have at most 100 recipients.'],
    [
      'expiration_exceeds_maximum',
      { max: '2030-01-31T00:00:00.000Z' },
      'Expiration exceeds maximum expiration date of 2030-01-31T00:00:00.000Z.',
    ],
    ['file_type_not_allowed', { allowed: ['.pdf', 'image/*'] }, 'Files of this type are not accepted here. Allowed: .pdf, image/*'],
  ]
  for (const [code, details, text] of cases) t.equal(new AppError(code, details).message, text)
})

t.test('prefers a message in the details to the text', async (t) => {
  t.equal(new AppError('share_removed', { message: 'It was infected.' }).message, 'It was infected.')
})
