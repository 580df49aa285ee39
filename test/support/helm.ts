import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'

const run = promisify(execFile)
const works = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: 'ignore' }).status === 0
const goBin = join(spawnSync('go', ['env', 'GOPATH'], { encoding: 'utf8' }).stdout?.trim() || '/nowhere', 'bin')

const helm = ['helm', join(goBin, 'helm')].find((program) => works(program, 'version'))
const mustHaveHelm = process.env.CI === 'true' && works('go', 'version')

/** Why the chart cannot be rendered here, or undefined when it can or when a CI with Go must. */
export const noHelm: string | undefined =
  helm || mustHaveHelm ? undefined : 'helm is not installed: go install helm.sh/helm/v3/cmd/helm@v3.22.0'

const validator = ['kubernetes-validate', '.ci/venv/bin/kubernetes-validate'].find((program) => works(program, '--version'))

/** Why manifests cannot be validated against Kubernetes' schemas here. */
export const noSchemas: string | undefined =
  validator || process.env.CI === 'true' ? undefined : 'kubernetes-validate is not installed: pip install kubernetes-validate'

/** A rendered Kubernetes object, limited to the fields that tests inspect. */
export interface Manifest {
  kind: string
  metadata: { name: string }
  spec: Record<string, unknown>
}

/**
 * Runs helm with these arguments and returns its output. Rejects with its error message in
 * `stderr`.
 */
export async function callHelm(...args: string[]): Promise<string> {
  return (await run(helm ?? 'helm', args, { maxBuffer: 2 ** 24 })).stdout
}

/** The chart rendered for a Kubernetes version, as text and as objects. */
export async function render(...args: string[]): Promise<{ text: string; manifests: Manifest[] }> {
  const text = await callHelm(
    'template',
    'razorbill',
    'helm',
    '--namespace',
    'files',
    '--kube-version',
    '1.34.0',
    '--api-versions',
    'monitoring.coreos.com/v1',
    ...args,
  )
  return { text, manifests: parseAllDocuments(text).flatMap((document) => (document.toJS() as Manifest | null) ?? []) }
}

/**
 * Validates a file's manifests against the schemas of a Kubernetes version. Rejects with the
 * mismatches in `stdout`.
 */
export async function validate(file: string, kubernetes: string): Promise<string> {
  const { stdout, stderr } = await run(validator ?? 'kubernetes-validate', ['--strict', '-k', kubernetes, file])
  return stdout + stderr
}
