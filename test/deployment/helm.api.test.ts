import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { type Env, readEnv } from '../../src/env.ts'
import { callHelm, type Manifest, noHelm, noSchemas, render, validate } from '../support/helm.ts'

interface Container {
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[]
  command: string[]
  securityContext: object
  volumeMounts: { name: string; mountPath: string }[]
  ports?: { name: string; containerPort: number }[]
  lifecycle?: { preStop: { exec: { command: string[] } } }
  [probe: string]: unknown
}
interface PodTemplate {
  template: { spec: { containers: [Container]; volumes: object[]; securityContext: object; terminationGracePeriodSeconds: number } }
}

t.setTimeout(300_000)
if (noHelm) t.plan(0, noHelm)
else {
  const required = ['--set', `secretKey.value=${'x'.repeat(32)}`, '--set', 'database.url=postgres://p/r']
  const onS3 = [...required, '--set', 's3.bucket=b']
  const onVolume = [...required, '--set', 'persistence.enabled=true']
  const alone = ['--set', 'api.replicas=1', '--set', 'worker.enabled=false']
  const kinds = (manifests: Manifest[]) => manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`).sort()
  const podOf = (manifests: Manifest[], part: 'api' | 'worker') => {
    const found = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === `razorbill-${part}`)
    const { spec } = (found!.spec as unknown as PodTemplate).template
    return { ...spec, container: spec.containers[0] }
  }
  /**
   * The program's configuration from a container's variables. Throws where it would refuse to
   * start.
   */
  const environmentOf = ({ env }: Container): Env => {
    const secrets: Record<string, string> = { SECRET_KEY: 'x'.repeat(32), DATABASE_URL: 'postgres://p/r', REDIS_URL: 'redis://r' }
    return readEnv(
      Object.fromEntries(env.map(({ name, value, valueFrom }) => [name, value ?? secrets[valueFrom!.secretKeyRef.key] ?? 'secret'])),
    )
  }

  const examples: Record<string, string[]> = {
    small: [
      'Deployment/razorbill-api',
      'Ingress/razorbill',
      'PersistentVolumeClaim/razorbill',
      'Service/razorbill',
      'ServiceAccount/razorbill',
    ],
    production: [
      'Deployment/razorbill-api',
      'Deployment/razorbill-worker',
      'HorizontalPodAutoscaler/razorbill-api',
      'Ingress/razorbill',
      'NetworkPolicy/razorbill',
      'PodDisruptionBudget/razorbill-api',
      'PodDisruptionBudget/razorbill-worker',
      'Service/razorbill',
      'Service/razorbill-metrics',
      'ServiceAccount/razorbill',
      'ServiceMonitor/razorbill',
    ],
    'direct-s3': [
      'Deployment/razorbill-api',
      'Deployment/razorbill-worker',
      'Ingress/razorbill',
      'PodDisruptionBudget/razorbill-api',
      'Service/razorbill',
      'ServiceAccount/razorbill',
    ],
  }
  for (const [example, expected] of Object.entries(examples)) {
    t.test(`renders the example ${example}`, async (t) => {
      const values = ['-f', `helm/examples/${example}.yaml`]
      t.match(await callHelm('lint', 'helm', '--strict', '--kube-version', '1.34.0', ...values), '0 chart(s) failed')
      const { manifests } = await render(...values)
      t.same(kinds(manifests), expected)
      for (const part of expected.includes('Deployment/razorbill-worker') ? (['api', 'worker'] as const) : (['api'] as const)) {
        const { container, securityContext } = podOf(manifests, part)
        t.equal(environmentOf(container).worker, example === 'small' ? 'inline' : 'off')
        t.same(container.command, part === 'api' ? undefined : ['node', 'worker/main.ts'], 'the API runs the image’s command')
        t.match(container.securityContext, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        t.match(securityContext, { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
        t.same(
          container.volumeMounts.slice(0, 2).map(({ mountPath }) => mountPath),
          ['/tmp', '/data'],
        )
      }
    })

    t.test(`renders the example ${example} valid for the schemas of Kubernetes`, { skip: noSchemas }, async (t) => {
      const { manifests } = await render('-f', `helm/examples/${example}.yaml`)
      const folder = await mkdtemp(join(tmpdir(), 'razorbill-helm-'))
      t.teardown(() => rm(folder, { recursive: true }))
      const file = join(folder, 'manifests.yaml')
      const known = manifests.filter(({ kind }) => kind !== 'ServiceMonitor') // a kind of the Prometheus operator
      await writeFile(file, known.map((manifest) => JSON.stringify(manifest)).join('\n---\n'))
      for (const version of ['1.27', '1.34', '1.37']) {
        const passed = (await validate(file, version)).match(/ passed for resource /g) ?? []
        t.equal(passed.length, known.length, version)
      }
      const deployment = known.find(({ kind }) => kind === 'Deployment')
      await writeFile(file, JSON.stringify({ ...deployment, spec: { replicas: 'many' } }))
      await t.rejects(validate(file, '1.34'), 'a wrong one is noticed')
    })
  }

  t.test('passes the chart values to the program', async (t) => {
    const { manifests } = await render('-f', 'helm/examples/production.yaml')
    const { container, terminationGracePeriodSeconds: grace } = podOf(manifests, 'api')
    const env = environmentOf(container)
    t.match(env, {
      port: 3000,
      appUrl: 'https://files.example.org',
      trustProxy: ['10.0.0.0/8'],
      metricsPort: 9090,
      dataDir: '/data',
      redisUrl: 'redis://r',
      s3: {
        bucket: 'razorbill',
        endpoint: 'https://s3.example.org',
        forcePathStyle: true,
        direct: false,
        caFile: '/etc/razorbill/s3-ca/ca.crt',
      },
    })
    t.same(container.ports, [
      { name: 'http', containerPort: env.port },
      { name: 'metrics', containerPort: env.metricsPort },
    ])
    t.match(container.readinessProbe, { httpGet: { path: '/api/health/ready', port: 'http' } })
    t.match(container.livenessProbe, { httpGet: { path: '/api/health', port: 'http' } })
    const [, preStop] = /setTimeout\(.*, (\d+)\)/.exec(container.lifecycle!.preStop.exec.command.at(-1)!)!
    t.equal(Number(preStop) / 1000 + env.drainSeconds + 10, grace, 'waiting, finishing requests and closing fit into the grace period')

    const direct = environmentOf(podOf((await render('-f', 'helm/examples/direct-s3.yaml')).manifests, 'api').container)
    t.match(direct.s3, { direct: true, endpoint: null, forcePathStyle: false, credentials: null, region: 'eu-central-1' })
  })

  t.test('puts secret values into a Secret, and nowhere else', async (t) => {
    const { text, manifests } = await render(
      ...onS3,
      '--set',
      's3.accessKeyId=the-id,s3.secretAccessKey=the-secret,redis.url=redis://:the-word@r',
    )
    const secret = manifests.find(({ kind }) => kind === 'Secret') as unknown as { stringData: object }
    t.same(secret.stringData, {
      SECRET_KEY: 'x'.repeat(32),
      DATABASE_URL: 'postgres://p/r',
      REDIS_URL: 'redis://:the-word@r',
      S3_ACCESS_KEY_ID: 'the-id',
      S3_SECRET_ACCESS_KEY: 'the-secret',
    })
    for (const word of ['the-secret', 'the-word', 'postgres://']) t.equal(text.split(word).length, 2, word)
    t.match(environmentOf(podOf(manifests, 'worker').container), { redisUrl: 'redis://r', s3: { credentials: {} } })
  })

  t.test('runs as a user chosen by the cluster', async (t) => {
    const { securityContext } = podOf((await render(...onS3, '--set', 'runAsUser=null')).manifests, 'api')
    t.same(Object.keys(securityContext).sort(), ['runAsNonRoot', 'seccompProfile'])
  })

  t.test('creates a volume for one pod and for many', async (t) => {
    const one = await render(...onVolume, ...alone)
    t.match(one.manifests.find(({ kind }) => kind === 'Deployment')!.spec, { strategy: { type: 'Recreate' }, replicas: 1 })
    const many = await render(...onVolume, '--set', 'persistence.accessModes={ReadWriteMany}')
    t.match(podOf(many.manifests, 'worker').volumes, [{ name: 'tmp' }, { name: 'data', persistentVolumeClaim: { claimName: 'razorbill' } }])
  })

  const refused: [what: string, args: string[], explainProblem: RegExp][] = [
    ['no secret key', ['--set', 'database.url=postgres://p/r,s3.bucket=b'], /secretKey/],
    ['a short secret key', [...onS3, '--set', 'secretKey.value=short'], /secretKey/],
    ['two secret keys', [...onS3, '--set', 'secretKey.existingSecret=s'], /secretKey/],
    ['no database', ['--set', `secretKey.value=${'x'.repeat(32)},s3.bucket=b`], /database/],
    ['half a key of S3', [...onS3, '--set', 's3.accessKeyId=a'], /s3\.secretAccessKey|\/s3\/secretAccessKey/],
    ['the other half', [...onS3, '--set', 's3.secretAccessKey=a'], /s3\.secretAccessKey|\/s3\/secretAccessKey/],
    ['two keys of S3', [...onS3, '--set', 's3.accessKeyId=a,s3.secretAccessKey=b,s3.existingSecret=c'], /existingSecret/],
    ['an endpoint without a bucket', [...onVolume, ...alone, '--set', 's3.endpoint=https://s3.example.org'], /endpoint/],
    ['two addresses of Redis', [...onS3, '--set', 'redis.url=redis://r,redis.existingSecret=r'], /redis/],
    ['no place for files', required, /set s3\.bucket, or persistence\.enabled/],
    ['two places for files', [...onS3, '--set', 'persistence.enabled=true'], /not both/],
    ['a volume of one pod for many', [...onVolume, '--set', 'worker.enabled=false'], /ReadWriteOnce volume serves one pod/],
    ['a volume of one pod for a worker too', [...onVolume, '--set', 'api.replicas=1'], /ReadWriteOnce volume serves one pod/],
    ['an ingress without a host', [...onS3, '--set', 'ingress.enabled=true'], /host/],
    ['a monitor of no metrics', [...onS3, '--set', 'metrics.serviceMonitor.enabled=true'], /needs metrics\.enabled/],
    ['metrics on the port of the API', [...onS3, '--set', 'metrics.enabled=true,metrics.port=3000'], /must not be 3000/],
    ['no time to stop', [...onS3, '--set', 'terminationGracePeriodSeconds=19'], /at least 15 more/],
    ['a misspelt value', [...onS3, '--set', 'api.replica=2'], /replica/],
  ]
  for (const [what, args, explainProblem] of refused) {
    t.test(`rejects ${what}`, async (t) => {
      const outcome = await render(...args).then(
        () => 'it was rendered',
        ({ stderr }: { stderr: string }) => stderr,
      )
      t.match(outcome, explainProblem)
    })
  }
}
