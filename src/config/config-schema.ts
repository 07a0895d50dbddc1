// The JSON Schema of the configuration file, for editors: config/config.schema.json is written from it. The tables are those
// of the parsers, and test/config/config-schema.test.ts compares the two on generated files.
import { durationInDaysPattern, durationPattern } from '../domain/duration.ts'
import { bases, floorsOfByte } from '../domain/gas-figures.ts'
import { type Policy, policyTable, unenforcedPolicies } from '../domain/policy-table.ts'
import { type ProfileField, profileLimits, profileTable } from '../domain/profile.ts'
import { secondWitnessModes } from '../domain/second-witness.ts'
import { providerCharsMax } from '../domain/settings.ts'
import { configSchemas, type SignerDialect } from '../domain/signer-schema.ts'
import { type SignerType, signerForms, signerTypes } from '../domain/signer-table.ts'
import { httpUrlPattern } from '../ops/http-url.ts'
import {
  headerCharsMax,
  headerNamePattern,
  headersMax,
  headerValuePattern,
  reservedHeaderPattern,
} from '../ops/request-headers.ts'
import { limits } from './limits.ts'

export interface FileSchema {
  readonly [keyword: string]: unknown
}

const addressPattern = '^0x[0-9a-fA-F]{40}$'
const selectorPattern = '^0x([0-9a-fA-F]{8})?$'
const weiMax = Number(2n ** 256n - 1n)
const someAddress = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const address: FileSchema = { type: 'string', pattern: addressPattern, examples: [someAddress] }

const described = (description: string, schema: FileSchema): FileSchema => ({ description, ...schema })
const ref = (name: string): FileSchema => ({ $ref: `#/definitions/${name}` })
const anyOf = (...forms: readonly FileSchema[]): FileSchema => ({ anyOf: forms })
/** Null means absent. */
const optional = (schema: FileSchema): FileSchema => anyOf(schema, { type: 'null' })
const text = (...examples: readonly string[]): FileSchema => ({
  type: 'string',
  pattern: '^(?=[\\s\\S]*\\S)[^\\u0000]*$',
  ...(examples.length > 0 && { examples }),
})
const flag: FileSchema = { type: 'boolean' }
const count = (min: number, max: number): FileSchema => ({ type: 'integer', minimum: min, maximum: max })
const list = (items: FileSchema, more: FileSchema = {}): FileSchema => ({ type: 'array', items, ...more })
const texts = list({ type: 'string' })

const wei = (min: 0 | 1 = 0): FileSchema =>
  anyOf(
    { type: 'integer', minimum: min, maximum: weiMax },
    { type: 'string', pattern: min === 0 ? '^[0-9]{1,78}$' : '^(?!0+$)[0-9]{1,78}$', examples: ['100000000000'] },
  )

type Properties = Readonly<Record<string, FileSchema>>

/** `limits`: optional members that are never null, since null could be a limit that a template lost. */
function object(
  required: Properties,
  others: Properties = {},
  limits: Properties = {},
  patterns?: Properties,
): FileSchema {
  const optionals = Object.entries(others).map(([name, schema]) => [name, optional(schema)])
  const properties = { ...required, ...Object.fromEntries(optionals), ...limits }
  const patternProperties = patterns && { patternProperties: patterns }
  return {
    type: 'object',
    properties,
    ...patternProperties,
    required: Object.keys(required),
    additionalProperties: false,
  }
}

function policySchema(policy: Policy): FileSchema {
  switch (policy.kind) {
    case 'wei':
      return described(policy.meaning, wei(policy.zeroMeans === undefined ? 0 : 1))
    case 'count':
      return described(policy.meaning, count(policy.min, policy.max))
    case 'duration':
      return described(
        policy.meaning,
        policy.inDays
          ? { type: 'string', pattern: durationInDaysPattern, examples: ['3d'] }
          : { type: 'string', pattern: durationPattern, examples: ['10m'] },
      )
    case 'flag':
      return described(policy.meaning, flag)
    case 'addresses':
      return described(policy.meaning, list(address))
    case 'calls':
      return described(policy.meaning, {
        type: 'object',
        minProperties: 1,
        propertyNames: { pattern: addressPattern },
        additionalProperties: list({ type: 'string', pattern: selectorPattern, examples: ['0xa9059cbb', '0x'] }),
        examples: [{ [someAddress]: ['0xa9059cbb'] }],
      })
  }
}

function profileSchema(field: ProfileField): FileSchema {
  switch (field.kind) {
    case 'choice':
      return described(field.meaning, { enum: field.choices })
    case 'flag':
      return described(field.meaning, flag)
    case 'wei':
      return described(field.meaning, wei())
    case 'address':
      return described(field.meaning, address)
    case 'milliseconds':
      return described(field.meaning, count(0, field.max))
    case 'bytes':
    case 'gas':
    case 'blocks':
      return described(field.meaning, count(field.min, field.max))
    case 'rule': {
      const measure = { enum: ['fields', 'effective_price'] }
      return described(field.meaning, object({ measure, percent: count(0, profileLimits.percentMax) }))
    }
    case 'gasRules':
      return described(
        field.meaning,
        object({
          base: { enum: bases },
          floor: { enum: floorsOfByte },
          new_account: count(0, profileLimits.newAccountMax),
        }),
      )
    case 'finality':
      return described(field.meaning, anyOf({ enum: ['safe', 'finalized'] }, count(1, profileLimits.finalityMax)))
  }
}

const [privateTransactions, includeRevertData] = unenforcedPolicies

const policies = object(
  {},
  {},
  {
    ...Object.fromEntries(Object.values(policyTable).map((policy) => [policy.name, policySchema(policy)])),
    [privateTransactions.name]: described(privateTransactions.meaning, { const: false }),
    [includeRevertData.name]: described(includeRevertData.meaning, flag),
  },
)

/** `plain`: how a value in the file must look. */
const reference = (plain: FileSchema): FileSchema =>
  anyOf(
    object({
      type: { const: 'env' },
      value: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$', examples: ['RPC_URL'] },
    }),
    object({ type: { const: 'plain' }, value: plain }),
  )

/** White space around it is trimmed. */
const withBlanks = (pattern: string) => pattern.replace(/^\^/, '^\\s*').replace(/\$$/, '\\s*$')
const url: FileSchema = { type: 'string', pattern: withBlanks(httpUrlPattern), examples: ['http://127.0.0.1:8545'] }
const headerValue = { type: 'string', maxLength: headerCharsMax, pattern: headerValuePattern, examples: ['a-key'] }

const headers: FileSchema = {
  type: 'object',
  maxProperties: headersMax,
  propertyNames: {
    pattern: headerNamePattern,
    not: { pattern: reservedHeaderPattern },
  },
  additionalProperties: anyOf(headerValue, reference(headerValue)),
  examples: [{ 'x-api-key': { type: 'env', value: 'RPC_KEY' } }],
}

const provider: FileSchema = described('who runs it: endpoints of one provider are one witness', {
  type: 'string',
  pattern: withBlanks(`^\\S(.{0,${providerCharsMax - 2}}\\S)?$`),
  examples: ['one'],
})
const rpcUrls = list(anyOf(url, reference(url), object({ url }, { weight: count(0, 100), provider, headers })), {
  minItems: 1,
})

const emptyList: FileSchema = { type: 'array', maxItems: 0 }

/** For people. */
const note: FileSchema = {}

const relayer = object(
  {
    id: { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,36}$', examples: ['treasury'] },
    network: described('the name of a network', text('localhost')),
    signer_id: described('the id of a signer', text('dev')),
  },
  {
    name: text('Treasury'),
    description: note,
    network_type: { const: 'evm' },
    notification_id: described('the id of a notification', text('hook')),
    custom_rpc_urls: described(
      "in place of the network's rpc_urls; an empty list is none",
      anyOf(ref('rpcUrls'), emptyList),
    ),
  },
  { paused: flag, policies: ref('policies') },
  { '^_': note },
)

const secret = reference({ type: 'string', minLength: 1, examples: ['a secret that is long enough to sign'] })
const key = reference({
  type: 'string',
  pattern: withBlanks('^(0x)?[0-9a-fA-F]{64}$'),
  examples: ['4c0883a6'.repeat(8)],
})
const signerForm: SignerDialect = {
  isFile: true,
  secret: ({ isPrivateKey }) => (isPrivateKey ? key : anyOf(ref('secret'))),
  url: () => url,
  inHeader: { pattern: headerValuePattern, maxLength: headerCharsMax },
}
function signerOf(type: SignerType, others: Properties = {}): FileSchema {
  const config = anyOf(...configSchemas(signerForms[type], signerForm))
  return object({ id: text('dev'), type: { const: type }, config }, others)
}
const signer = anyOf(signerOf('local'), signerOf('plain'), ref('keyServiceSigner'))
const serviceTypes = signerTypes.filter((type) => type !== 'local' && type !== 'plain')
const keyServiceSigner = anyOf(...serviceTypes.map((type) => signerOf(type, { address: ref('address') })))

const notification = object(
  { id: text('hook'), type: { const: 'webhook' }, url: { ...url, examples: ['https://hooks.example/'] } },
  { signing_key: described(`of ${limits.signingKeyCharactersMin} characters or more`, anyOf(ref('secret'))) },
)

const statusCheckSeconds = count(0, limits.statusCheckSecondsMax)

const network = object(
  { network: described('its name', text('localhost')) },
  {
    from: described('the name of a network whose members this one inherits', text()),
    type: { const: 'evm' },
    chain_id: count(1, Number.MAX_SAFE_INTEGER),
    rpc_urls: ref('rpcUrls'),
    required_confirmations: count(1, limits.requiredConfirmationsMax),
    average_blocktime_ms: count(1, limits.averageBlockTimeMsMax),
    symbol: text('ETH'),
    is_testnet: flag,
    features: texts,
    tags: texts,
    explorer_urls: texts,
    gas_price_cache: described('without effect', {}),
    status_check: described(
      'without effect',
      object({}, { initial_delay_seconds: statusCheckSeconds, retry_delay_seconds: statusCheckSeconds }),
    ),
    profile: ref('profile'),
    second_witness: described(
      'whether final statements need two endpoints of different hosts: where there are two, always, or never',
      { enum: [...secondWitnessModes] },
    ),
  },
)

/** Files of services for several families of chains hold these, too. */
const otherNetwork: FileSchema = {
  type: 'object',
  properties: { type: { enum: ['solana', 'stellar'] } },
  required: ['type'],
}

/** Skipped, unless `skip_unsupported` is false. */
const otherRelayer: FileSchema = {
  type: 'object',
  properties: { network_type: { enum: ['solana', 'stellar'] } },
  required: ['network_type'],
}

const days = (min: number): FileSchema => count(min, limits.retentionDaysMax)
const keysDays = { idempotency_keys_days: days(limits.idempotencyKeyDaysMin) }
const retention = described(
  'how long ended transactions and idempotency keys stay; without it, for ever',
  anyOf(
    object(
      { transactions_days: described('counted from the end', days(limits.transactionDaysMin)) },
      { archive: described('the path of a directory that receives them first', text('data/archive')), ...keysDays },
    ),
    object({}, keysDays),
  ),
)

const nothing = anyOf({ type: 'array', maxItems: 0 }, { type: 'object', maxProperties: 0 })

export const configSchema: FileSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'The configuration of Rescind',
  ...object(
    {},
    {
      $schema: {},
      description: note,
      relayers: list(anyOf(ref('relayer'), ref('otherRelayer'))),
      signers: list(ref('signer')),
      notifications: list(ref('notification')),
      networks: described(
        'a list, or the path of a directory of files with lists',
        anyOf(list(anyOf(ref('network'), ref('otherNetwork'))), { type: 'string' }),
      ),
      retention,
      plugins: nothing,
    },
    {
      strict: described('whether unknown members are refused that would pass with a warning, in sends as well', flag),
      skip_unsupported: described('whether relayers of Solana and Stellar are skipped with a warning', flag),
    },
    { '^_': note },
  ),
  definitions: {
    ...{ relayer, policies, signer, keyServiceSigner, secret, address, notification, network, otherNetwork },
    ...{ otherRelayer, rpcUrls },
    profile: object(
      {},
      Object.fromEntries(Object.values(profileTable).map((field) => [field.name, profileSchema(field)])),
    ),
  },
}
