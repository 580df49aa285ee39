import t from 'tap'
import { readEnv } from '../../src/env.ts'
import { findPrograms } from '../../worker/previews/programs.ts'
import { keptLog } from '../support/app/log.ts'
import { withoutVips } from '../support/previews.ts'

t.test('turns previews off, and logs it once, where their folder cannot be created', { skip: withoutVips }, async (t) => {
  const log = keptLog()
  const env = readEnv({ DATA_DIR: import.meta.filename, LOG_LEVEL: 'silent' })
  for (let time = 0; time < 2; time++) t.same((await findPrograms({ env, log })).kinds, [])
  t.match(log.lines, [{ level: 'warn', message: 'previews are off because their folder cannot be created' }])
  t.equal(log.lines.length, 1)
})
