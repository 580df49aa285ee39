import t, { type Test } from 'tap'
import { type Cluster, type KubernetesObject, noKubernetes, startCluster } from '../support/kubernetes/cluster.ts'

t.setTimeout(240_000)
if (noKubernetes) t.plan(0, noKubernetes)
else {
  const cluster = await startCluster(t)
  const image = ['--set', 'image.repository=registry.example.org/razorbill']

  /** Creates a namespace that admits only pods of the strictest level. */
  const namespace = async (name: string) => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
    const { status } = await cluster.call('POST', '/api/v1/namespaces', { metadata: { name, labels } })
    if (status !== 201) throw new Error(`namespace ${name}: ${status}`)
    return ['--namespace', name]
  }
  const podOf = (template: object) => ({ apiVersion: 'v1', kind: 'Pod', ...template, metadata: { name: 'tried' } })
  const tryPod = (name: string, pod: object) => cluster.call('POST', `/api/v1/namespaces/${name}/pods?dryRun=All`, pod)
  const deployments = async (name: string) => (await cluster.call('GET', `/apis/apps/v1/namespaces/${name}/deployments`)).body.items
  const find = async (name: string, kind: string, object: string) =>
    (await cluster.call('GET', `/api/v1/namespaces/${name}/${kind}/${object}`)).body
  const monitors = (name: string) => cluster.call('GET', `/apis/monitoring.coreos.com/v1/namespaces/${name}/servicemonitors/razorbill`)

  for (const example of ['small', 'production', 'direct-s3']) {
    t.test(`installs the example ${example} with pods that the strictest namespace admits`, async (t) => {
      const within = await namespace(example)
      const notes = await cluster.helm('install', 'razorbill', 'helm', ...within, ...image, '-f', `helm/examples/${example}.yaml`)
      t.equal(/No ServiceMonitor was created/.test(notes), example === 'production', 'only where the cluster lacks the kind')
      const found = await deployments(example)
      t.equal(found.length, example === 'small' ? 1 : 2)
      for (const { metadata, spec } of found) {
        const { status, body } = await tryPod(example, podOf(spec.template as object))
        t.equal(status, 201, `${metadata.name}: ${body.message}`)
      }
    })
  }

  t.test('refuses a pod without the chart’s security settings', async (t) => {
    const [deployment] = await deployments('small')
    const template = structuredClone(deployment!.spec.template) as { spec: { securityContext?: object } }
    delete template.spec.securityContext
    t.match(await tryPod('small', podOf(template)), { status: 403, body: { message: /violates PodSecurity "restricted/ } })
  })

  t.test('adds the ServiceMonitor at the next upgrade when the cluster knows the kind', async (t) => {
    const values = ['--namespace', 'production', ...image, '-f', 'helm/examples/production.yaml']
    t.equal((await monitors('production')).status, 404)
    await defineServiceMonitor(cluster)
    t.notMatch(await cluster.helm('upgrade', 'razorbill', 'helm', ...values), 'No ServiceMonitor')
    t.equal((await monitors('production')).status, 200)
  })

  t.test('keeps claim and secrets over changes, rollback, removal and a new installation', async (t) => {
    const within = await namespace('life')
    const own = { metadata: { name: 'own' }, stringData: { SECRET_KEY: 'x'.repeat(32) } }
    await cluster.call('POST', '/api/v1/namespaces/life/secrets', own)
    const place = ['persistence.enabled=true', 'api.replicas=1', 'worker.enabled=false', 'database.url=postgres://p/r']
    const values = [...image, '--set', place.join(), '--set', 'secretKey.existingSecret=own']
    await cluster.helm('install', 'razorbill', 'helm', ...within, ...values)
    const claim = await find('life', 'persistentvolumeclaims', 'razorbill')
    const secret = await find('life', 'secrets', 'razorbill')
    t.ok(claim.spec && secret.data)
    const isKept = async (t: Test) => {
      t.same((await find('life', 'persistentvolumeclaims', 'razorbill')).spec, claim.spec)
      t.same((await find('life', 'secrets', 'own')).data, { SECRET_KEY: Buffer.from('x'.repeat(32)).toString('base64') })
    }

    await cluster.helm(
      'upgrade',
      'razorbill',
      'helm',
      ...within,
      '--reuse-values',
      '--set',
      'logLevel=debug,api.resources.limits.memory=1Gi',
    )
    t.match(levelOf(await deployments('life')), 'debug')
    t.same((await find('life', 'secrets', 'razorbill')).data, secret.data)
    await isKept(t)

    await cluster.helm('rollback', 'razorbill', '1', ...within)
    t.match(levelOf(await deployments('life')), 'info')
    t.same((await find('life', 'secrets', 'razorbill')).data, secret.data)
    await isKept(t)

    await cluster.helm('uninstall', 'razorbill', ...within)
    t.same(await deployments('life'), [])
    await isKept(t)

    await cluster.helm('install', 'razorbill', 'helm', ...within, ...values)
    await isKept(t)
  })
}

function levelOf([deployment]: KubernetesObject[]): string | undefined {
  const { spec } = deployment!.spec.template as { spec: { containers: [{ env: { name: string; value?: string }[] }] } }
  return spec.containers[0].env.find(({ name }) => name === 'LOG_LEVEL')?.value
}

/** Defines the kind as the Prometheus operator does, and waits until the cluster serves it. */
async function defineServiceMonitor({ call }: Cluster): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'servicemonitors.monitoring.coreos.com' },
    spec: {
      group: 'monitoring.coreos.com',
      names: { kind: 'ServiceMonitor', plural: 'servicemonitors' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  })
  while ((await call('GET', '/apis/monitoring.coreos.com/v1')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 100))
}
