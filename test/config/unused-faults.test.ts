// A fault in a network, a signer or a notification that no relayer names is a warning, and the faulty entry is left out.
import { expect, test } from 'vitest'
import { type ConfigFile, loadFile, refusal, rightFile } from './workplace.ts'

const leftOut = (kind: string) => `(no relayer of the file names this ${kind}, so it is left out)`

/** A file whose second network and second notification nobody uses, like its second signer. */
function fileWithSpares(): ConfigFile {
  const file = rightFile()
  file.networks.push({ ...file.networks[0], network: 'spare', chain_id: 5 })
  file.notifications.push({ ...file.notifications[0], id: 'spare-hook' })
  return file
}

test.each<[string, string, (file: ConfigFile) => void, readonly [string, string], RegExp]>([
  [
    'a network without endpoints',
    'network',
    (file) => Object.assign(file.networks[1] ?? {}, { rpc_urls: [] }),
    ['network', 'spare'],
    /^networks\[1\]\.rpc_urls: is empty; write/,
  ],
  [
    'a network with a misspelled member',
    'network',
    (file) => Object.assign(file.networks[1] ?? {}, { chainid: 5 }),
    ['network', 'spare'],
    /^networks\[1\]\.chainid: .* did you mean "chain_id"/,
  ],
  [
    'a network whose parent is nowhere',
    'network',
    (file) => Object.assign(file.networks[1] ?? {}, { from: 'nowhere' }),
    ['network', 'spare'],
    /^networks\[1\]\.from: "nowhere", which is not defined/,
  ],
  [
    'a network of no type',
    'network',
    (file) => Object.assign(file.networks[1] ?? {}, { type: 'emv' }),
    ['network', 'spare'],
    /^networks\[1\]: network "spare" is of type emv/,
  ],
  [
    'a network without a name',
    'network',
    (file) => Object.assign(file.networks[1] ?? {}, { network: undefined }),
    ['network', ''],
    /^networks\[1\]\.network: is missing/,
  ],
  [
    'a signer whose variable is not set',
    'signer',
    (file) => Object.assign(file.signers[1] ?? {}, { config: { key: { type: 'env', value: 'NOPE' } } }),
    ['signer', 'raw'],
    /^signers\[1\]\.config\.key: refers to the variable NOPE, which is not set/,
  ],
  [
    'a signer of no type',
    'signer',
    (file) => Object.assign(file.signers[1] ?? {}, { type: 'cloud' }),
    ['signer', 'raw'],
    /^signers\[1\]\.type: "cloud" is not supported/,
  ],
  [
    'a notification without a URL',
    'notification',
    (file) => Object.assign(file.notifications[1] ?? {}, { url: '<url>' }),
    ['notification', 'spare-hook'],
    /^notifications\[1\]\.url: is no http or https URL/,
  ],
])('%s', async (_, kind, spoil, [, name], message) => {
  const file = fileWithSpares()
  spoil(file)
  const config = await loadFile(file)
  expect(config.faulty).toEqual([{ kind, name, faults: [expect.stringMatching(message)] }])
  expect(config.warnings).toEqual([`${config.faulty?.[0]?.faults[0]} ${leftOut(kind)}`])
  const names = [config.networks.map((each) => each.name), config.signers.map(({ id }) => id)]
  expect([...names.flat(), ...config.notifications.map(({ id }) => id)]).not.toContain(name)
  expect(config.relayers.map(({ id }) => id)).toEqual(['local'])
})

test('one that is there twice is left out, both times', async () => {
  const file = fileWithSpares()
  file.networks.push({ ...file.networks[1] })
  file.signers.push({ ...file.signers[1] })
  file.notifications.push({ ...file.notifications[1] })
  const config = await loadFile(file)
  expect(config.faulty?.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'network spare',
    'signer raw',
    'notification spare-hook',
  ])
  expect([config.networks, config.signers, config.notifications].map((each) => each.length)).toEqual([1, 1, 1])
})

test('a fault of a network is one of each that inherits from it', async () => {
  const file = fileWithSpares()
  Object.assign(file.networks[1] ?? {}, { symbol: 5 })
  file.networks.push({ network: 'child', from: 'spare', chain_id: 6 })
  expect((await loadFile(file)).faulty?.map(({ name }) => name)).toEqual(['spare', 'child'])
  Object.assign(file.relayers[0] ?? {}, { network: 'child' })
  const { problems } = await refusal(loadFile(file))
  expect(problems.map(({ place }) => place)).toEqual(['networks[1].symbol'])
})

test('what only a skipped relayer names is named by none', async () => {
  const file = fileWithSpares()
  Object.assign(file.signers[1] ?? {}, { type: 'cloud' })
  file.relayers.push({ id: 'lumens', network: 'testnet', network_type: 'stellar', signer_id: 'raw' })
  expect((await loadFile(file)).faulty).toMatchObject([{ kind: 'signer', name: 'raw' }])
})

test('faults affect no other part of the file: each relayer is still checked', async () => {
  const file = fileWithSpares()
  Object.assign(file.networks[1] ?? {}, { rpc_urls: [] })
  Object.assign(file.relayers[0] ?? {}, { network: 'spare', policies: { min_balance: -1 } })
  const { problems } = await refusal(loadFile(file))
  expect(problems.map(({ place }) => place).sort()).toEqual([
    'networks[1].rpc_urls',
    'relayers[0].policies.min_balance',
  ])
})
