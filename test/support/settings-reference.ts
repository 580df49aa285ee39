import { writeFile } from 'node:fs/promises'
import { fixableKeys, variableOf } from '../../src/config/environment.ts'
import { type Definition, type SettingKey, settings } from '../../src/config/settings.ts'

export const referenceFile = new URL('../../docs/settings.md', import.meta.url)

const introduction = `# Settings

An administrator changes these at run time, on the configuration pages or by \`PATCH /api/configs/admin\`. Where the environment of the server and
of the worker has the variable, it fixes the setting, and the pages show it read-only. Sizes are bytes, times are hours.

\`GET /api/configs/admin\` lists all settings with values as JSON strings, numbers and booleans. \`PATCH /api/configs/admin\` with
\`{"changes": [{"key": "share.maxExpiration", "value": 168}]}\` accepts the same types. \`null\` or an empty string resets a setting to its default.
Values of secrets are never returned, so send only settings that should change.

As in Pingvin Share, \`GET /api/configs/admin/{category}\` returns text, and a body that is a bare list may have text (\`"168"\`, \`"true"\`).

Written by \`node test/support/settings-reference.ts\`.

| setting | variable | default | allowed |
|---|---|---|---|
`

/** All settings that the environment can fix, as a page of Markdown. */
export function settingsReference(): string {
  const rows = fixableKeys.map((key) => `| \`${key}\` | \`${variableOf(key)}\` | ${initial(key)} | ${allowed(key)} |`)
  return `${introduction}${rows.join('\n')}\n`
}

function initial(key: SettingKey): string {
  const { default: value, multiline }: Definition = settings[key]
  if (multiline && value !== '') return 'a text'
  return value === '' ? '' : `\`${value}\``
}

function allowed(key: SettingKey): string {
  const { default: value, minimum, maximum, choices, format, secret, maxLength }: Definition = settings[key]
  if (typeof value === 'boolean') return '`true`, `false`'
  if (typeof value === 'number') return `${minimum} to ${maximum}`
  if (choices) return choices.map((choice) => `\`${choice}\``).join(', ')
  const words = {
    url: 'an http(s) address',
    site: 'an http(s) address without a path',
    email: 'an e-mail address',
    host: 'a host',
    tenant: 'a tenant',
    expiration: '`never`, `7-days`, …',
    color: 'a color such as `#4940de`',
    ascii: `up to ${maxLength} ASCII characters`,
  }
  return `${format ? words[format] : `up to ${maxLength} characters`}${secret ? ', kept sealed' : ''}`
}

if (import.meta.main) await writeFile(referenceFile, settingsReference())
