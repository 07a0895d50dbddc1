// compose.yaml and the proxy's configuration name existing files, and variables of the service.
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { load } from '../config/workplace.ts'
import { documented } from '../support/documented.ts'
import { composeEnvironment, exampleConfig, isThere, read, readYaml, unknownVariables, type Yaml } from './shipped.ts'

const [compose] = readYaml('deploy/compose.yaml') as [Yaml]
const services: Readonly<Record<string, Yaml>> = compose.services
const replicas = Object.entries(services).filter(([name]) => name.startsWith('rescind'))

test('files that it names are there, and so are the services and networks', () => {
  for (const [name, service] of Object.entries(services)) {
    const { build, volumes = [], depends_on: needs = {}, networks = [] } = service
    if (build) expect(isThere(join('deploy', build.context, build.dockerfile))).toBe(true)
    for (const volume of volumes as string[]) {
      const [from = ''] = volume.split(':')
      const isNamed = /^\w+$/.test(from)
      const found = isNamed ? from in compose.volumes : isThere(join('deploy', from))
      expect(found, `${name}: ${volume}`).toBe(true)
    }
    for (const needed of Object.keys(needs))
      expect(services[needed]?.healthcheck ?? services[needed]?.build).toBeTruthy()
    for (const network of networks as string[]) expect(network in compose.networks).toBe(true)
  }
})

test('variables are those of the service, and all that are filled in from outside are in the example', async () => {
  const example = composeEnvironment()
  const names = [...Object.keys(replicas[0]?.[1].environment), ...Object.keys(example)]
  const ofPostgres = ['POSTGRES_PASSWORD']
  expect(
    await unknownVariables(
      names.filter((name) => !ofPostgres.includes(name)),
      exampleConfig(),
    ),
  ).toEqual([])
  const filledIn = [...read('deploy/compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name ?? '')
  expect(filledIn.filter((name) => !(name in example))).toEqual([])
})

test('each service gets the variables that it needs, and no others', async () => {
  for (const [name, service] of Object.entries(services)) expect([name, service.env_file]).toEqual([name, undefined])
  const ofService = await documented('## The environment')
  const byName = (name: string) => Object.keys(services[name]?.environment ?? {})
  expect(byName('proxy')).toEqual([])
  expect(byName('postgres')).toEqual(['POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_PASSWORD'])
  for (const [name] of replicas) {
    const needed = byName(name).filter((each) => ofService.includes(each))
    expect(needed).toEqual(['API_KEY', 'STORAGE_ENCRYPTION_KEY', 'DATABASE_URL', 'TRUSTED_PROXIES'])
    const ofFile = byName(name).filter((each) => !ofService.includes(each))
    expect(ofFile).toEqual([...exampleConfig().matchAll(/"type": "env", "value": "(\w+)"/g)].map(([, each]) => each))
  }
  // The password of the database's owner stands in its URL alone.
  expect(Object.keys(composeEnvironment()).filter((each) => !byName('rescind-1').includes(each))).toEqual([
    'POSTGRES_PASSWORD',
  ])
})

test('the example, filled in, is an environment that the service starts on', async () => {
  const secrets = { POSTGRES_PASSWORD: 'a1', API_KEY: 'b'.repeat(32) }
  const filledIn: NodeJS.Dict<string> = { ...parseEnv(read('deploy/compose.env.example')), ...secrets }
  const set = Object.entries(replicas[0]?.[1].environment as Record<string, string>).map(([name, value]) => [
    name,
    value.replaceAll(/\$\{(\w+):[^}]*\}/g, (_, each) => filledIn[each] ?? ''),
  ])
  const env = Object.fromEntries(set)
  const loaded = await load({ 'config/config.json': exampleConfig() }, env)
  expect(loaded.database).toMatchObject({ kind: 'postgres' })
  expect(loaded.server.trustedProxies).toEqual([compose.networks.inside.ipam.config[0].subnet])
})

test('the proxy names every replica, and repeats no POST', () => {
  const conf = read('deploy/nginx.conf').replaceAll(/#.*$/gm, '')
  const servers = [...conf.matchAll(/server (rescind-\d):8080 resolve /g)].map(([, name]) => name)
  expect(servers).toEqual(replicas.map(([name]) => name))
  expect(conf).not.toContain('non_idempotent')
  // Names are resolved again only with these; the open nginx has "resolve" since 1.27.3.
  expect(conf).toMatch(/resolver 127\.0\.0\.11 valid=2s .*;[^}]*upstream rescind \{[^}]*zone rescind /)
  const [, minor] = /nginx-unprivileged:1\.(\d+)-alpine$/m.exec(read('deploy/compose.yaml')) ?? []
  expect(Number(minor)).toBeGreaterThanOrEqual(28)
  expect(conf).toMatch(/location = \/api\/v1\/events \{[^}]*proxy_buffering off;/)
})

test('a 503 is an answer to the proxy: it is not retried elsewhere, and takes no replica out', () => {
  const conf = read('deploy/nginx.conf').replaceAll(/#.*$/gm, '')
  const passedOn = [...conf.matchAll(/proxy_next_upstream ([^;]*);/g)].map(([, on]) => on)
  expect(passedOn).toEqual(['error timeout'])
})
