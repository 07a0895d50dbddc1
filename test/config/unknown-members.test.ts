// Members of the file that the service has not: notes and members of other services pass, and nothing that could be a misspelled one.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fileMembers } from '../../src/config/load-config.ts'
import { policyMembers } from '../../src/config/parse-policies.ts'
import { relayerMembers } from '../../src/config/parse-relayers.ts'
import { schemaMembers } from '../../src/config/unknown-members.ts'
import { memberOf } from '../../src/ops/member.ts'
import { oneEditOf, stylesOf } from '../support/one-edit.ts'
import { type ConfigFile, load, loadFile, refusal, rightFile } from './workplace.ts'

type Put = (file: ConfigFile, members: object) => void

const inFile: Put = (file, members) => Object.assign(file, members)
const inRelayer: Put = (file, members) => Object.assign(file.relayers[0] ?? {}, members)

function fileWith(put: Put, members: object): ConfigFile {
  const file = rightFile()
  put(file, members)
  return file
}

const tolerant = [
  ['the top level', inFile, '', fileMembers],
  ['a relayer', inRelayer, 'relayers[0].', relayerMembers],
] as const

test.each(tolerant)('notes in %s pass without a word, also in a strict file', async (_, put) => {
  const notes = {
    description: { any: ['thing'] },
    _comment: 'the old cap was 5',
    _policies: { gas_price_cap: 5 },
    _: 1,
  }
  const file = fileWith(put, notes)
  expect((await loadFile(file)).warnings).toEqual([])
  expect((await loadFile({ ...file, strict: true })).warnings).toEqual([])
})

test.each(tolerant)('a scalar of a strange name in %s passes with a warning', async (_, put, place) => {
  const members = { owner: 'team payments', tier: 2, legacy: true, ticket: null }
  const file = fileWith(put, members)
  const { warnings, isStrict } = await loadFile(file)
  expect(isStrict).toBe(false)
  expect(warnings).toEqual(
    Object.keys(members).map((name) => `${place}${name}: is no member of the file, and has no effect`),
  )
  const { problems } = await refusal(loadFile({ ...file, strict: true }))
  expect(problems.map((problem) => problem.place)).toEqual(Object.keys(members).map((name) => `${place}${name}`))
  expect(problems[0]?.message).toMatch(
    /^is no member of the file, and the check is strict; remove it, or begin its name/,
  )
})

test('a strict file says so, and its null is refused', async () => {
  expect((await loadFile({ ...rightFile(), strict: true })).isStrict).toBe(true)
  expect((await loadFile({ ...rightFile(), strict: false })).isStrict).toBe(false)
  for (const strict of [null, 'yes', 1]) {
    const { message } = await refusal(loadFile({ ...rightFile(), strict }))
    expect(message).toMatch(/strict: is .*; write true or false/)
  }
})

test.each<[string, Put, object, RegExp]>([
  ['polices of the top level', inFile, { polices: 1 }, / {2}- polices: .* did you mean "policies"\?/],
  ['polices of a relayer', inRelayer, { polices: {} }, /relayers\[0\]\.polices: .* did you mean "policies"\?/],
  [
    'whitelistReceivers of a relayer',
    inRelayer,
    { whitelistReceivers: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
    /relayers\[0\]\.whitelistReceivers: .* did you mean "whitelist_receivers"\? It belongs to another object/,
  ],
  [
    'a policy beside the policies',
    inRelayer,
    { gas_price_cap: 5 },
    /\.gas_price_cap: .* did you mean "gas_price_cap"\?/,
  ],
  ['a member of a network', inRelayer, { chainId: 1 }, /chainId: .* did you mean "chain_id"\?/],
  ['an object', inRelayer, { labels: { team: 'payments' } }, /labels: is not a known member; remove it \(known are id/],
  ['a list', inFile, { owners: ['payments'] }, /owners: is not a known member; remove it \(known are \$schema/],
])('%s is refused', async (_, put, members, message) => {
  const error = await refusal(loadFile(fileWith(put, members)))
  expect(error.problems).toHaveLength(1)
  expect(error.message).toMatch(message)
})

test('a relayer among several is named by its place', async () => {
  const file = rightFile()
  file.relayers.push({ ...file.relayers[0], id: 'two', signer_id: 'raw', owner: 'x', min_balnce: 1 })
  const { message } = await refusal(loadFile(file))
  expect(message).toMatch(/relayers\[1\]\.min_balnce: .* did you mean "min_balance"/)
})

test('the names that are near are those of the schema, of each of its objects', () => {
  expect(schemaMembers).toEqual(
    expect.arrayContaining([...policyMembers, ...relayerMembers, 'signing_key', 'passphrase']),
  )
  expect(schemaMembers).toEqual(expect.arrayContaining(['chain_id', 'transactions_days', 'tip_floor', 'percent']))
  expect(schemaMembers).not.toContain('description')
  // A note may have the name of a member of a key service.
  for (const name of ['region', 'token', 'address']) expect(schemaMembers).not.toContain(name)
})

const scalars = fc.constantFrom<unknown>('text', '', 0, 5, true, false, null)

test('a name that resembles any member of the schema is refused in the two places that tolerate others', async () => {
  const mistaken = fc
    .constantFrom(...schemaMembers)
    .chain((name) => fc.oneof(oneEditOf(name), fc.constantFrom(...stylesOf(name))))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...tolerant), mistaken, scalars, async ([, put, at, known], name, value) => {
      // The first is a note, and the second no mistake.
      fc.pre(!name.startsWith('_') && name !== 'description' && !known.includes(name))
      const { problems } = await refusal(loadFile(fileWith(put, { [name]: value })))
      expect(problems).toHaveLength(1)
      expect(problems[0]?.place).toBe(`${at}${name}`)
      expect(problems[0]?.message).toMatch(/did you mean "/)
    }),
    { numRuns: 400 },
  )
})

/** Every object of a file. */
const everywhere: readonly (readonly [string, Put])[] = [
  ['', inFile],
  ['relayers[0]', inRelayer],
  ['relayers[0].policies', (file, members) => Object.assign(Object(memberOf(file.relayers[0], 'policies')), members)],
  ['signers[0]', (file, members) => Object.assign(file.signers[0] ?? {}, members)],
  ['signers[0].config', (file, members) => Object.assign(Object(memberOf(file.signers[0], 'config')), members)],
  ['notifications[0]', (file, members) => Object.assign(file.notifications[0] ?? {}, members)],
  ['networks[0]', (file, members) => Object.assign(file.networks[0] ?? {}, members)],
  ['networks[0].profile', (file, members) => Object.assign(file.networks[0] ?? {}, { profile: members })],
  ['retention', (file, members) => Object.assign(file, { retention: { idempotency_keys_days: 2, ...members } })],
]

test('any policy name with one edit is refused, everywhere in the file', async () => {
  const edited = fc.constantFrom(...policyMembers).chain(oneEditOf)
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...everywhere), edited, fc.jsonValue(), async ([at, put], name, value) => {
      // Where notes may stand, a name that begins with "_" is one: the way to take a member out for a while.
      fc.pre(!(name.startsWith('_') && ['', 'relayers[0]'].includes(at)))
      const { problems } = await refusal(loadFile(fileWith(put, { [name]: value })))
      expect(problems.map(({ place }) => place)).toContain(at === '' ? name : `${at}.${name}`)
    }),
    { numRuns: 500 },
  )
})

test('a file of a directory of networks has no notes', async () => {
  const { networks, ...file } = rightFile()
  const error = await refusal(
    load({
      'config/config.json': JSON.stringify(file),
      'config/networks/local.json': JSON.stringify({ networks, owner: 'x' }),
    }),
  )
  expect(error.message).toMatch(/local\.json\.owner: is not a known member/)
})
