import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { request } from 'node:https'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'

const script = join(import.meta.dirname, 'kubernetes.sh')
const { KUBERNETES_VERSION: version, XDG_CACHE_HOME: cache } = process.env
const folder = join(cache || join(homedir(), '.cache'), 'razorbill', version ? `kubernetes-${version}` : 'kubernetes')

/** Why there is no Kubernetes here; false: there is. */
export const noKubernetes = ['etcd', 'kube-apiserver', 'helm'].every((name) => existsSync(join(folder, name)))
  ? false
  : 'Kubernetes is not built: test/support/kubernetes/kubernetes.sh build'

/** The fields of a Kubernetes object, or of a refusal, that tests inspect. */
export interface KubernetesObject {
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
  spec: Record<string, unknown>
  items: KubernetesObject[]
  data?: Record<string, string>
  message?: string
}

interface Answer {
  status: number
  body: KubernetesObject
}

export interface Cluster {
  call(method: string, path: string, body?: object): Promise<Answer>
  /** Runs helm and returns its output. Rejects with its error message in `stderr`. */
  helm(...args: string[]): Promise<string>
}

interface Test {
  teardown(work: () => Promise<unknown>): void
}

/** Starts an API server without nodes and stops it at the end of the test. */
export async function startCluster(t: Test): Promise<Cluster> {
  const child = spawn(script, ['run', folder, 'sh', '-c', 'echo "$KUBE_API $KUBECONFIG"; cat'], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.teardown(() => stop(child))
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const [api = '', config] = line.split(' ')
  const env = { ...process.env, KUBECONFIG: config }
  return {
    async call(method, path, body) {
      const headers = { authorization: 'Bearer token', 'content-type': 'application/json' }
      const sent = request(`${api}${path}`, { method, headers, rejectUnauthorized: false }).end(body && JSON.stringify(body))
      const [response] = await once(sent, 'response')
      const answer = await text(response)
      // An address without a kind is answered in plain text.
      return { status: response.statusCode, body: answer.startsWith('{') ? JSON.parse(answer) : { message: answer } }
    },
    async helm(...args) {
      const { stdout } = await promisify(execFile)(join(folder, 'helm'), args, { env, maxBuffer: 2 ** 24 })
      return stdout
    },
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.stdin?.end()
  await ended
}
