import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'

const run = promisify(execFile)
const works = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: 'ignore' }).status === 0
const goBin = join(spawnSync('go', ['env', 'GOPATH'], { encoding: 'utf8' }).stdout?.trim() || '/nowhere', 'bin')

const helm = ['helm', join(goBin, 'helm')].find((program) => works(program, 'version'))
const mustHaveHelm = process.env.CI === 'true' && works('go', 'version')

/** Why the chart cannot be rendered here; undefined when it can, or when a CI with Go has to. */
export const noHelm: string | undefined =
  helm || mustHaveHelm ? undefined : 'helm is not installed: go install helm.sh/helm/v3/cmd/helm@v3.22.0'

const validator = ['kubernetes-validate', '.ci/venv/bin/kubernetes-validate'].find((program) => works(program, '--version'))

/** Why manifests cannot be compared with Kubernetes' schemas here. */
export const noSchemas: string | undefined =
  validator || process.env.CI === 'true' ? undefined : 'kubernetes-validate is not installed: pip install kubernetes-validate'

/** A rendered object of Kubernetes, as far as tests look at it. */
export interface Manifest {
  kind: string
  metadata: { name: string }
  spec: Record<string, unknown>
}

/** What helm says to these arguments; rejects with its complaint in `stderr`. */
export async function callHelm(...args: string[]): Promise<string> {
  return (await run(helm ?? 'helm', args, { maxBuffer: 2 ** 24 })).stdout
}

/** The chart rendered for a Kubernetes version, as text and as objects. */
export async function render(...args: string[]): Promise<{ text: string; manifests: Manifest[] }> {
  const text = await callHelm('template', 'razorbill', 'helm', '--namespace', 'files', '--kube-version', '1.34.0', ...args)
  return { text, manifests: parseAllDocuments(text).flatMap((document) => (document.toJS() as Manifest | null) ?? []) }
}

/** Compares the manifests of a file with the schemas of a Kubernetes version; rejects with what does not fit in `stdout`. */
export async function validate(file: string, kubernetes: string): Promise<string> {
  const { stdout, stderr } = await run(validator ?? 'kubernetes-validate', ['--strict', '-k', kubernetes, file])
  return stdout + stderr
}
