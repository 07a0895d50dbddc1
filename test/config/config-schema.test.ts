// The JSON Schema of the configuration file: written from the parsers' tables, and in agreement with the parsers.
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { configSchema, type FileSchema } from '../../src/config/config-schema.ts'
import { ConfigError, type Problem } from '../../src/config/report.ts'
import type { ReplacementRule } from '../../src/domain/fees.ts'
import { ethereumProfile } from '../../src/domain/profile.ts'
import { parseProfile, presentProfile, profileInBody } from '../../src/http/networks/profile.ts'
import { env, loadFile, rightFile } from './workplace.ts'

// Editors do not know the formats of Ethereum.
const formats = { 'eip55-address': true, 'secp256k1-public-key': true } as const
const isValid = new Ajv({ strict: false, formats }).compile(configSchema)

test('the file that editors read is that schema; -u writes it anew', async () => {
  await expect(`${JSON.stringify(configSchema, undefined, 2)}\n`).toMatchFileSnapshot('../../config/config.schema.json')
})

/** About more than one member, or about what lies outside the file: no schema states it. */
const beyondForm = [
  /belong together$|^names "|which is not among|is defined twice|names 0x\w+ twice|is there twice|two would fight|EIP-55 checksum/,
  /refers to the variable|refers to a value|is shorter than|the directory .* can't be read/,
  /is in no list of chains|which is not defined|inherits from it in turn|differs from that of another relayer/,
  /only "evm" is served|there is no key to seal|every endpoint has weight 0|is missing; write \["https|is of type (solana|stellar)|which is of type/,
]
const malformed = (problems: readonly Problem[]) =>
  problems.filter(({ message }) => !beyondForm.some((known) => known.test(message)))

async function problemsOf(file: unknown): Promise<readonly Problem[]> {
  try {
    await loadFile(file, variables)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

/** Editors mark members that pass with a warning, and faults in entries that no relayer names. */
async function toleratedIn(file: unknown): Promise<readonly string[]> {
  const { warnings } = await loadFile(file, variables).catch(() => ({ warnings: [] }))
  return warnings.filter((warning) => /is no member of the file, and has no effect$|so it is left out\)$/.test(warning))
}

const variables = {
  ...{ ...env, RPC_URL: 'http://127.0.0.1:8545', RPC_KEY: 'a-key' },
  // Members of a signer may be absent where the platform sets these.
  ...{ AZURE_TENANT_ID: 'tenant', AZURE_CLIENT_ID: 'client', AZURE_FEDERATED_TOKEN_FILE: '/a/file' },
}

/** Values that the schema allows. Texts are its examples. */
function allowedBy(schema: FileSchema): fc.Arbitrary<unknown> {
  const { $ref, anyOf, examples, type, properties, required, items }: Keywords = schema
  const { minimum = 0, maximum = 0, minItems = 0, const: given, enum: choices }: Keywords = schema
  if ($ref)
    return fc.constant($ref.split('/').at(-1) as string).chain((name) => allowedBy(definitions[name] as FileSchema))
  if (anyOf) return fc.oneof(...anyOf.map(allowedBy))
  if ('const' in schema) return fc.constant(given)
  if (choices) return fc.constantFrom(...choices)
  if (examples) return fc.constantFrom(...examples)
  if (properties) {
    const members = Object.entries(properties).map(([name, each]) => [name, allowedBy(each)] as const)
    return fc.record(Object.fromEntries(members), { requiredKeys: [...(required ?? [])] })
  }
  switch (type) {
    case 'array':
      return items ? fc.array(allowedBy(items), { minLength: minItems, maxLength: 2 }) : fc.constant([])
    case 'object':
      return fc.constant({})
    case 'integer':
      return fc.oneof(
        fc.constantFrom(minimum, Math.min(maximum, 2 ** 53 - 1)),
        fc.integer({ min: minimum, max: Math.min(maximum, 2 ** 31) }),
      )
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return fc.constantFrom('localhost', 'some text')
  }
}

interface Keywords {
  readonly $ref?: string
  readonly anyOf?: readonly FileSchema[]
  readonly examples?: readonly unknown[]
  readonly type?: string
  readonly properties?: Readonly<Record<string, FileSchema>>
  readonly required?: readonly string[]
  readonly items?: FileSchema
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
}

const { definitions = {} }: { readonly definitions?: Readonly<Record<string, FileSchema>> } = configSchema

test('a file that the schema allows is never malformed', async () => {
  await fc.assert(
    fc.asyncProperty(allowedBy(configSchema), async (file) => {
      expect(isValid(file), JSON.stringify(isValid.errors)).toBe(true)
      expect(malformed(await problemsOf(file))).toEqual([])
    }),
    { numRuns: 150 },
  )
})

/** Every place in the value, from the whole of it to its leaves. */
function placesOf(value: unknown, at: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [at, ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...at, key]))]
}

function replaced(value: unknown, [key, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (key === undefined) return by
  const copy = structuredClone(value) as Record<string | number, unknown>
  copy[key] = replaced(copy[key], rest, by)
  return copy
}

const everyMember = rightFile()
Object.assign(everyMember.relayers[0] ?? {}, {
  policies: {
    ...{ min_balance: '5', gas_price_cap: 7, max_in_flight: 4, eip1559_pricing: true, private_transactions: false },
    whitelist_receivers: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
    whitelist_selectors: { '0x70997970C51812dc3A010C7d01b50e0d17dc79C8': ['0xa9059cbb'] },
  },
})
Object.assign(everyMember.networks[0] ?? {}, {
  rpc_urls: [
    {
      url: 'http://127.0.0.1:8545',
      weight: 50,
      provider: 'one',
      headers: { 'x-api-key': { type: 'env', value: 'RPC_KEY' } },
    },
    { type: 'env', value: 'RPC_URL' },
  ],
  profile: {
    pool: 'fcfs',
    finality: 5,
    tip_floor: 1,
    l1_fee_oracle: '0x5300000000000000000000000000000000000002',
    floor_gas: true,
    replacement: { measure: 'fields', percent: 10 },
  },
})
const files = { ...everyMember, $schema: './config.schema.json', plugins: [] }

test('a file that the schema forbids is refused, and one that is malformed is forbidden', async () => {
  expect(await problemsOf(files)).toEqual([])
  const awkward = fc.constantFrom<unknown>(
    '',
    ' ',
    -1,
    0.5,
    1e300,
    2 ** 53,
    [[]],
    [null],
    { type: null },
    null,
    true,
    'evm',
    '0x',
  )
  const places = placesOf(files)
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...places), fc.oneof(awkward, fc.jsonValue()), async (place, value) => {
      const file = replaced(files, place, value)
      const problems = await problemsOf(file)
      if (!isValid(file))
        expect([...problems, ...(await toleratedIn(file))], JSON.stringify(isValid.errors)).not.toEqual([])
      else expect(malformed(problems)).toEqual([])
    }),
    { numRuns: 500 },
  )
})

/** The types demand a row for each measure. */
const measures: Readonly<Record<ReplacementRule['measure'], string>> = {
  fields: 'fields',
  effectivePrice: 'effective_price',
}

test.each(Object.entries(measures) as [ReplacementRule['measure'], string][])(
  'a rule that measures %s is the same in the file, its schema and the API',
  async (measure, name) => {
    const [rule, shown] = [
      { measure, percent: 25n },
      { measure: name, percent: 25 },
    ]
    const file = { ...rightFile(), networks: [{ ...rightFile().networks[0], profile: { replacement: shown } }] }
    expect(isValid(file)).toBe(true)
    expect((await loadFile(file, variables)).networks[0]?.profile.replacement).toEqual(rule)
    expect(presentProfile({ ...ethereumProfile, replacement: rule })).toMatchObject({ replacement: shown })
    expect(new Ajv({ strict: false }).compile(profileInBody)({ replacement: shown })).toBe(true)
    expect(parseProfile({ replacement: shown })).toEqual({ replacement: rule })
  },
)
