// The manifests hold together: selectors find pods, ports have names, variables exist, the example of a configuration is
// one. No API server looks at them here.
import { BlockList } from 'node:net'
import { expect, test } from 'vitest'
import { load } from '../config/workplace.ts'
import { anyService } from './any-service.ts'
import { readYaml, unknownVariables, type Yaml, yamlFiles } from './shipped.ts'

const folder = 'deploy/kubernetes'
const manifests: readonly Yaml[] = [folder, `${folder}/examples`].flatMap((each) =>
  yamlFiles(each).flatMap((name) => readYaml(`${each}/${name}`)),
)
const of = (kind: string): Yaml => {
  const [found, ...more] = manifests.filter((manifest) => manifest.kind === kind)
  expect([kind, found !== undefined, more.length]).toEqual([kind, true, 0])
  return found
}
const pod = of('Deployment').spec.template
const [container] = pod.spec.containers

test('every selector finds the pods, or the service', () => {
  const { labels } = pod.metadata
  const selectors = [
    of('Deployment').spec.selector.matchLabels,
    of('Service').spec.selector,
    of('PodDisruptionBudget').spec.selector.matchLabels,
    of('NetworkPolicy').spec.podSelector.matchLabels,
    pod.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
  ]
  for (const selector of selectors) expect(labels).toMatchObject(selector)
  expect(of('Service').metadata.labels).toMatchObject(of('ServiceMonitor').spec.selector.matchLabels)
})

test('every port that is named is one of the container, and those are the defaults', () => {
  const ports = Object.fromEntries(container.ports.map(({ name, containerPort }: Yaml) => [name, containerPort]))
  expect(ports).toEqual({ http: 8080, metrics: 8081 })
  // No Service of the namespace decides them: links would set NAME_PORT for each.
  expect(pod.spec.enableServiceLinks).toBe(false)
  const named = [
    ...of('Service').spec.ports.map(({ targetPort }: Yaml) => targetPort),
    ...of('NetworkPolicy').spec.ingress.flatMap((rule: Yaml) => rule.ports.map(({ port }: Yaml) => port)),
    ...['startupProbe', 'readinessProbe', 'livenessProbe'].map((probe) => container[probe].httpGet.port),
  ]
  expect(named.filter((name) => !(name in ports))).toEqual([])
  const ofService = of('Service').spec.ports.map(({ name }: Yaml) => name)
  for (const { port } of of('ServiceMonitor').spec.endpoints) expect(ofService).toContain(port)
})

test('the probes are answered, and metrics are where they are looked for', async () => {
  await using service = await anyService()
  for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
    expect((await fetch(service.url + container[probe].httpGet.path)).status).toBe(200)
  }
  expect((await fetch(service.metricsUrl + of('ServiceMonitor').spec.endpoints[0].path)).status).toBe(200)
  // A migration has an hour.
  expect(container.startupProbe.periodSeconds * container.startupProbe.failureThreshold).toBeGreaterThanOrEqual(3_600)
  // A database that is down takes no replica out for good.
  expect(container.livenessProbe.httpGet.path).not.toBe(container.readinessProbe.httpGet.path)
})

test('nobody is root, nothing is written to, and the drain has time', () => {
  expect(pod.spec).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
  })
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  expect(container.volumeMounts.every(({ readOnly }: Yaml) => readOnly)).toBe(true)
  const sleep = Number(container.lifecycle.preStop.exec.command[1])
  expect(pod.spec.terminationGracePeriodSeconds - sleep).toBeGreaterThanOrEqual(45)
  expect(of('Deployment').spec.replicas).toBe(3)
  expect(of('Deployment').spec.strategy.rollingUpdate.maxUnavailable).toBe(0)
})

test('no proxy is trusted until its address is written down', async () => {
  const plain: Record<string, string> = Object.fromEntries(container.env.map(({ name, value }: Yaml) => [name, value]))
  expect(plain).toEqual({ TRUSTED_PROXIES: '', APP_PORT: '8080', METRICS_PORT: '8081' })
  const secrets = of('Secret').stringData
  expect(Object.keys(secrets)).not.toContain('TRUSTED_PROXIES')
  const loaded = await load({ 'config/config.json': of('ConfigMap').data['config.json'] }, { ...secrets, ...plain })
  expect(loaded.server.trustedProxies).toEqual([])
})

test('webhooks reach neither the cluster nor the services of a cloud for its machines', () => {
  const blocks = of('NetworkPolicy').spec.egress.flatMap((rule: Yaml) =>
    rule.to.flatMap((to: Yaml) => to.ipBlock ?? []),
  )
  expect(blocks).toHaveLength(1)
  const refused = new BlockList()
  for (const range of blocks[0].except) {
    const [address, bits] = range.split('/')
    refused.addSubnet(address, Number(bits))
  }
  for (const address of ['10.1.2.3', '169.254.169.254', '168.63.129.16', '100.100.100.200', '192.0.0.192']) {
    expect([address, refused.check(address)]).toEqual([address, true])
  }
})

test('the secret and the configuration are an environment that the service starts on', async () => {
  const config: string = of('ConfigMap').data['config.json']
  const secrets: Record<string, string> = of('Secret').stringData
  const plain: Record<string, string> = Object.fromEntries(container.env.map(({ name, value }: Yaml) => [name, value]))
  expect(await unknownVariables([...Object.keys(secrets), ...Object.keys(plain)], config)).toEqual([])
  const loaded = await load({ 'config/config.json': config }, { ...secrets, ...plain })
  expect(loaded.relayers.map(({ id }) => id)).toEqual(['payouts'])
  expect(pod.spec.volumes.map(({ configMap }: Yaml) => configMap.name)).toEqual([of('ConfigMap').metadata.name])
  expect(container.envFrom).toEqual([{ secretRef: { name: of('Secret').metadata.name } }])
})
