import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { dataFolder, processesOf, startProcess } from '../support/app/server-process.ts'
import { eventually } from '../support/app/worker.ts'
import { openBrowser, visitor } from '../support/browser/browser.ts'
import { freePort } from '../support/listening.ts'

const copied = ['dev', 'locales', 'migrations', 'src', 'test/support', 'uploader', 'web', 'worker', 'package.json']

t.test('npm run dev shows an edited component without a reload, and restarts the API when a route changes', async (t) => {
  const dataDir = await dataFolder(t)
  const root = join(dirname(dataDir), 'source')
  for (const path of copied) cpSync(path, join(root, path), { recursive: true })
  symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'))
  const edit = (file: string, from: string, to: string) => {
    const text = readFileSync(join(root, file), 'utf8')
    if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`)
    writeFileSync(join(root, file), text.replace(from, to))
  }
  const port = String(await freePort())
  const server = startProcess(t, { DATA_DIR: dataDir, PORT: port }, join(root, 'dev/main.ts'))
  await server.says('Razorbill is ready')
  const postgres = processesOf(dataDir)

  const context = await visitor(t, await openBrowser(t), `http://localhost:${port}`)
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())))
  let loads = 0
  page.on('load', () => loads++)
  await page.goto('/auth/signUp')
  await page.getByLabel('Username').fill('auk')
  edit('web/pages/auth/SignUpPage.tsx', "{t('auth.signUp')}", 'Join the colony')
  await page.getByRole('button', { name: 'Join the colony' }).waitFor()
  t.equal(await page.getByLabel('Username').inputValue(), 'auk')
  t.equal(loads, 1)
  t.same(problems, [])

  edit('src/system/health.ts', "'OK'", "'Restarted'")
  const health = async () => (await fetch(`http://localhost:${port}/api/health`)).text()
  await eventually(async () => (await health()) === 'Restarted', 'the API has restarted')
  t.ok(
    postgres.every((pid) => processesOf(dataDir).includes(pid)),
    'PostgreSQL still runs',
  )

  server.child.kill('SIGTERM')
  t.equal(await server.ended, 0)
  t.same(processesOf(dataDir), [])
})
