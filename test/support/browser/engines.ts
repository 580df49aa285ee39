import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../listening.ts'
import { startProgram, temporaryFolder } from '../server-program.ts'
import { openHttpSession, openMarionetteSession, type Send } from './webdriver.ts'

interface Test {
  teardown(work: () => Promise<unknown>): void
}

/** A browser of another maker than Chromium's. */
export interface Engine {
  name: string
  /** Why it can't run here; undefined if it can. */
  missing: string | undefined
  /** Starts it until the end of the test. It saves downloads in `downloads`. */
  start(t: Test, downloads: string): Promise<Send>
}

const firefoxSettings = (port: number, downloads: string) => ({
  'marionette.port': port,
  'browser.download.folderList': 2, // the folder that is named next
  'browser.download.dir': downloads,
  'browser.download.always_ask_before_handling_new_types': false,
  'browser.aboutwelcome.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'intl.accept_languages': 'en-US',
  'ui.prefersReducedMotion': 1,
})

const firefox: Engine = {
  name: 'Firefox',
  missing: spawnSync('firefox-esr', ['--version']).status === 0 ? undefined : 'firefox-esr is not installed',
  async start(t, downloads) {
    const [profile, port] = [await temporaryFolder(t, 'firefox'), await freePort()]
    const lines = Object.entries(firefoxSettings(port, downloads)).map(
      ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`,
    )
    await writeFile(join(profile, 'user.js'), lines.join(''))
    const parameters = ['--headless', '--no-remote', '--marionette', '--profile', profile]
    await startProgram(t, port, 'firefox-esr', parameters, { env: { ...process.env, HOME: profile } })
    return openMarionetteSession(port)
  },
}

const [miniBrowser = ''] = globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser')
const webKitPrograms = ['/usr/bin/WebKitWebDriver', '/usr/bin/Xvfb', miniBrowser]

/** Draws without OpenGL, whose software emulation crashes on a busy machine. */
const withoutGpu = { WEBKIT_SKIA_ENABLE_CPU_RENDERING: '1', WEBKIT_DISABLE_COMPOSITING_MODE: '1', WEBKIT_DISABLE_DMABUF_RENDERER: '1' }

const webKit: Engine = {
  name: 'WebKit',
  missing: webKitPrograms.every((path) => existsSync(path)) ? undefined : 'webkit2gtk-driver or xvfb is not installed',
  async start(t, downloads) {
    const port = await freePort()
    const env = {
      ...process.env,
      ...withoutGpu,
      DISPLAY: await startDisplay(t),
      HOME: downloads,
      XDG_DOWNLOAD_DIR: downloads,
      LANG: 'en_US.UTF-8',
    }
    const driver = await startProgram(t, port, 'WebKitWebDriver', [`--port=${port}`], { env })
    const send = await openHttpSession(driver, { 'webkitgtk:browserOptions': { binary: miniBrowser, args: ['--automation'] } })
    t.teardown(() => send('close'))
    return send
  },
}

/** Starts an X server without a screen. Returns its display. */
async function startDisplay(t: Test): Promise<string> {
  const server = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x1000x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(server, 'exit')
  t.teardown(async () => {
    server.kill('SIGTERM')
    await ended
  })
  const [number] = (await once(server.stdout, 'data')) as [Buffer]
  return `:${String(number).trim()}`
}

export const engines = [firefox, webKit]
