// Refused configurations, with their messages, which contain no secret.
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { refuseSharedAddresses } from '../../src/config/refuse-accounts.ts'
import { type ConfigFile, env, load, loadFile, passphrase, refusal, rightFile, signingKey } from './workplace.ts'

type Spoil = (file: ConfigFile) => void

const inRelayer =
  (members: object): Spoil =>
  (file) =>
    Object.assign(file.relayers[0] ?? {}, members)
const inPolicies = (policies: object): Spoil => inRelayer({ policies })
const inNetwork =
  (members: object): Spoil =>
  (file) =>
    Object.assign(file.networks[0] ?? {}, members)
/** The second, which signs for the relayer: a fault in one that nobody uses is a warning. */
const inSigner =
  (members: object): Spoil =>
  (file) => {
    inRelayer({ signer_id: 'raw' })(file)
    Object.assign(file.signers[1] ?? {}, members)
  }
const inHook =
  (members: object): Spoil =>
  (file) =>
    Object.assign(file.notifications[0] ?? {}, members)

const someReceiver = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const hidden = 'S3CRET-that-must-not-show'

test.each<[string, Spoil, RegExp]>([
  [
    'age that ends before the events',
    (file) => Object.assign(file, { retention: { transactions_days: 7 } }),
    /retention\.transactions_days: is 7; write a whole number from 8 to 36500/,
  ],
  [
    'archive of nothing',
    (file) => Object.assign(file, { retention: { archive: 'data/archive' } }),
    /retention\.archive: has no effect without transactions_days; set that too/,
  ],
  [
    'unknown field of a profile',
    inNetwork({ profile: { pol: 'fcfs' } }),
    /networks\[0\]\.profile\.pol: is not a known member; did you mean "pool"/,
  ],
  [
    'unknown member',
    (file) => Object.assign(file, { relayer: [] }),
    /relayer: is not a known member; did you mean "relayers"/,
  ],
  ['unknown policy', inPolicies({ gas_price_cpa: 1 }), /policies\.gas_price_cpa: .* did you mean "gas_price_cap"/],
  [
    'far-off policy',
    inPolicies({ zzz: hidden }),
    /policies\.zzz: is not a known member; remove it \(known are min_balance/,
  ],
  ['a name that no database holds', inRelayer({ name: 'a\0b' }), /name: is "a\\u0000b"; write .* without U\+0000/],
  [
    'plug-ins',
    (file) => Object.assign(file, { plugins: [{ id: 'p' }] }),
    /plugins: plug-ins are not run by this service \("p"\); remove/,
  ],
  [
    'relayer of a family that is none',
    inRelayer({ network_type: 'evn' }),
    /network_type: is "evn"; only "evm" is served/,
  ],
  [
    'solana relayer where none is skipped',
    (file) => {
      Object.assign(file, { skip_unsupported: false })
      inRelayer({ network_type: 'solana' })(file)
    },
    /relayers\[0\]\.network_type: is "solana"; .*remove relayer "local", which uses network "localhost"/,
  ],
  [
    'network of a type that is none',
    inNetwork({ type: 'emv' }),
    /networks\[0\]: network "localhost" is of type emv; .*remove/,
  ],
  [
    'receiver that is none',
    inPolicies({ whitelist_receivers: ['0x1'] }),
    /whitelist_receivers\[0\]: names "0x1"; write an address, 0x and 40 hex digits/,
  ],
  [
    'receiver with a typo',
    inPolicies({ whitelist_receivers: ['0x70997970C51812dc3A010C7d01b50e0d17dc79c8'] }),
    /whitelist_receivers\[0\]: names "0x70997970C51812dc3A010C7d01b50e0d17dc79c8"; .* EIP-55 checksum/,
  ],
  [
    'selectors of nobody',
    inPolicies({ whitelist_selectors: { token: ['0xa9059cbb'] } }),
    /whitelist_selectors: names "token"; write an address/,
  ],
  ['a cap of null', inPolicies({ value_cap: null }), /value_cap: is null; write a value, or remove the member/],
  [
    'no selectors',
    inPolicies({ whitelist_selectors: {} }),
    /whitelist_selectors: is \{\}, so that it would limit nothing; name a receiver, as in \{ .* \}, or remove it/,
  ],
  [
    'selector that is none',
    inPolicies({ whitelist_selectors: { [someReceiver]: ['transfer(address,uint256)'] } }),
    /whitelist_selectors\.0x7099.*: has "transfer\(address,uint256\)"; write a list of selectors/,
  ],
  [
    'selectors twice',
    inPolicies({ whitelist_selectors: { [someReceiver]: ['0x'], [someReceiver.toLowerCase()]: ['0x'] } }),
    /whitelist_selectors: names 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 twice; write it once/,
  ],
  ['private pool', inPolicies({ private_transactions: true }), /private_transactions: is true, and .* public pool/],
  ['ether', inPolicies({ min_balance: '0.1 ether' }), /min_balance: is "0\.1 ether"; write a whole number of wei/],
  [
    'cap of nothing',
    inPolicies({ cancel_gas_price_cap: 0 }),
    /cancel_gas_price_cap: is 0, so that nothing could be sent/,
  ],
  ['in flight: none', inPolicies({ max_in_flight: 0 }), /max_in_flight: is 0; write a whole number from 1 to 1024/],
  [
    'nothing to seal with',
    inPolicies({ presign_cancel: 1 }),
    /policies\.presign_cancel: is 1, and there is no key .* set STORAGE_ENCRYPTION_KEY/,
  ],
  [
    'transactions that pass one that has to go alone',
    (file) => {
      inPolicies({ skip_unfunded: true })(file)
      inNetwork({ profile: { reserve_balance: '10' } })(file)
    },
    /policies\.skip_unfunded: is true, and network "localhost" has a reserve_balance \(10 wei\): .*; remove the policy/,
  ],
  ['policies as list', inPolicies([]), /relayers\[0\]\.policies: is a list; write an object/],
  ['no id', inRelayer({ id: undefined }), /relayers\[0\]\.id: is missing; write a text/],
  ['slash in id', inRelayer({ id: 'a/b' }), /relayers\[0\]\.id: is "a\/b"; write at most 36 letters/],
  [
    'unknown signer',
    inRelayer({ signer_id: 'x' }),
    /signer_id: names "x", which is not among the signers; there are: dev, raw/,
  ],
  ['unknown hook', inRelayer({ notification_id: 'x' }), /notification_id: names "x", .* there are: hook/],
  ['unknown network', inRelayer({ network: 'x' }), /relayers\[0\]\.network: names "x", .* there are: localhost/],
  ['relayers as object', (file) => Object.assign(file, { relayers: {} }), /relayers: is an object; write a list/],
  ['no chain id', inNetwork({ chain_id: undefined }), /chain_id: is missing, and "localhost" is in no list of chains/],
  ['no endpoints', inNetwork({ rpc_urls: undefined }), /networks\[0\]\.rpc_urls: is missing; write \["https/],
  ['empty endpoints', inNetwork({ rpc_urls: [] }), /rpc_urls: is empty; write/],
  [
    'websocket',
    inNetwork({ rpc_urls: [`wss://x/${hidden}`] }),
    /rpc_urls\[0\]: is a WebSocket URL .*write the http or https URL of the same provider/,
  ],
  [
    'a variable within a URL',
    inNetwork({ rpc_urls: [{ url: `https://x/${hidden}/\${API_KEY}`, weight: 5 }] }),
    /rpc_urls\[0\]: holds \$\{API_KEY\}, and no variable within a text is replaced; put the whole URL into a variable/,
  ],
  ['not a URL', inNetwork({ rpc_urls: [hidden] }), /rpc_urls\[0\]: is no http or https URL \(not shown/],
  [
    'all out of use',
    inNetwork({ rpc_urls: [{ url: 'http://a', weight: 0 }] }),
    /rpc_urls: every endpoint has weight 0/,
  ],
  [
    'URL variable',
    inNetwork({ rpc_urls: [{ type: 'env', value: 'NOPE' }] }),
    /rpc_urls\[0\]: refers to the variable NOPE, which is not set/,
  ],
  ['unknown parent', inNetwork({ from: 'nowhere' }), /networks\[0\]\.from: "nowhere", which is not defined/],
  ['own parent', inNetwork({ from: 'localhost' }), /networks\[0\]\.from: "localhost", which inherits from it in turn/],
  [
    'no such directory',
    (file) => Object.assign(file, { networks: './none' }),
    /networks: the directory ".\/none" can't be read \(ENOENT\)/,
  ],
  [
    'cloud signer',
    inSigner({ type: 'cloud', config: { key: hidden } }),
    /signers\[1\]\.type: "cloud" is not supported; signer "raw" can be "local", "plain", "aws_kms"/,
  ],
  ['signer without type', inSigner({ type: undefined }), /signers\[1\]\.type: is missing; signer "raw" can be/],
  [
    'key in the clear',
    inSigner({ config: { key: hidden } }),
    /config\.key: is a text \(not shown.* write \{ "type": "env"/,
  ],
  [
    'key for a name',
    inSigner({ config: { key: { type: 'env', value: `${hidden}` } } }),
    /config\.key\.value: is no name of a variable \(not shown/,
  ],
  [
    'key not set',
    inSigner({ config: { key: { type: 'env', value: 'NOPE' } } }),
    /config\.key: refers to the variable NOPE, which is not set/,
  ],
  [
    'key no key',
    inSigner({ config: { key: { type: 'env', value: 'WEBHOOK_SIGNING_KEY' } } }),
    /config\.key: refers to a value that is no private key/,
  ],
  [
    'key in what every object has',
    inSigner({ config: { key: { type: 'env', value: 'constructor' } } }),
    /config\.key: refers to the variable constructor, which is not set/,
  ],
  [
    'key kind',
    inSigner({ config: { key: { type: 'vault', value: hidden } } }),
    /config\.key\.type: is a text other than "env" and "plain"/,
  ],
  ['no key', inSigner({ config: {} }), /signers\[1\]\.config\.key: is missing; write/],
  ['hook URL', inHook({ url: hidden }), /notifications\[0\]\.url: is no http or https URL \(not shown/],
  [
    'short signing key',
    inHook({ signing_key: { type: 'plain', value: 'short' } }),
    /signing_key: is shorter than 32 characters/,
  ],
  [
    'same relayer twice',
    (file) => file.relayers.push({ ...file.relayers[0], signer_id: 'raw' }),
    /relayers\[1\]\.id: "local" is defined twice/,
  ],
  [
    'same network twice',
    (file) => file.networks.push({ ...file.networks[0] }),
    /networks\[1\]\.network: "localhost" is defined twice/,
  ],
  [
    'same signer on the same chain, through two networks',
    (file) => {
      file.networks.push({ ...file.networks[0], network: 'other' })
      file.relayers.push({ ...file.relayers[0], id: 'two', network: 'other' })
    },
    /relayers\[1\]\.signer_id: "dev" signs for relayer "local" on the same chain already/,
  ],
  [
    'two lists of endpoints for one network',
    (file) => {
      Object.assign(file.relayers[0] ?? {}, { custom_rpc_urls: [`http://${hidden}`] })
      file.relayers.push({ ...file.relayers[0], id: 'two', signer_id: 'raw', custom_rpc_urls: ['http://b'] })
    },
    /relayers\[0\]\.custom_rpc_urls: differs from that of another relayer on "localhost"/,
  ],
])('%s', async (_, spoil, message) => {
  const file = rightFile()
  spoil(file)
  const error = await refusal(loadFile(file))
  expect(error.problems).toHaveLength(1)
  expect(error.message).toMatch(message)
  expect(inspect(error)).not.toContain(hidden)
})

test.each<[string, Record<string, string | undefined>, RegExp]>([
  ['no API key', { API_KEY: undefined }, /API_KEY: is not set; set it to 32 random characters/],
  ['short API key', { API_KEY: 'short-S3CRET' }, /API_KEY: has 12 characters; it needs 32 or more/],
  ['API key with a space', { API_KEY: `S3CRET ${'x'.repeat(32)}` }, /API_KEY: holds a space/],
  ['port', { APP_PORT: '80a' }, /APP_PORT: is "80a"; write a whole number from 0 to 65535/],
  ['one port for two', { APP_PORT: '9000', METRICS_PORT: '9000' }, /METRICS_PORT: is 9000, which is APP_PORT as well/],
  ['neither true nor false', { METRICS_ENABLED: 'yes' }, /METRICS_ENABLED: is "yes"; write true or false/],
  [
    'rate',
    { RATE_LIMIT_REQUESTS_PER_SECOND: '0' },
    /RATE_LIMIT_REQUESTS_PER_SECOND: is "0"; write a whole number from 1/,
  ],
  ['docs of nothing', { DOCS_ENABLED: '' }, /DOCS_ENABLED: is empty, .* widest value; write true or false, or remove/],
  ['metrics of nowhere', { METRICS_HOST: '' }, /METRICS_HOST: is empty, .*; write an address, or remove the variable/],
  [
    'no role',
    { ROLE: '' },
    /ROLE: is empty, and its default is its widest value; write .*api.*, or remove the variable/,
  ],
  ['role', { ROLE: 'workers' }, /ROLE: is "workers"; did you mean "worker"\?/],
  [
    'role on a file',
    { ROLE: 'api' },
    /ROLE: is "api", and the SQLite file of DATABASE_URL is one process's; take ROLE away, or give DATABASE_URL a PostgreSQL/,
  ],
  ['level', { LOG_LEVEL: 'infos' }, /LOG_LEVEL: is "infos"; did you mean "info"\?/],
  [
    'several processes on a file',
    { DISTRIBUTED_MODE: 'True' },
    /DISTRIBUTED_MODE: is true, and the SQLite file of DATABASE_URL is one process's: .*; give DATABASE_URL a PostgreSQL/,
  ],
  [
    'private addresses or not',
    { RPC_BLOCK_PRIVATE_IPS: 'yes' },
    /RPC_BLOCK_PRIVATE_IPS: is "yes"; write true or false/,
  ],
  [
    'a node at an internal address',
    { RPC_BLOCK_PRIVATE_IPS: 'true' },
    /rpc_urls\[0\]: has an internal host, and RPC_BLOCK_PRIVATE_IPS refuses those \(127\.0\.0\.1\); name another/,
  ],
  [
    'a node that is not allowed',
    { RPC_ALLOWED_HOSTS: 'rpc.example, other.example' },
    /rpc_urls\[0\]: has a host that is not in RPC_ALLOWED_HOSTS \(127\.0\.0\.1\)/,
  ],
  [
    'PostgreSQL without a database',
    { DATABASE_URL: 'postgres://u:S3CRET@h' },
    /DATABASE_URL: names no database; write postgres:/,
  ],
  [
    'PostgreSQL with a password that breaks its URL',
    { DATABASE_URL: 'postgres://u:S3#CRET@h:port/db' },
    /DATABASE_URL: is not a URL; write postgres:.* as %40, .*%23/,
  ],
  [
    'PostgreSQL with a raw @ and a raw / in its password',
    { DATABASE_URL: 'postgres://u:p@S3CRET/x@h/db' },
    /DATABASE_URL: is misread, .*write characters such as @, \/, \? or # of a password as %40/,
  ],
  [
    'PostgreSQL with a raw # in its password',
    { DATABASE_URL: 'postgres://u:p@S3CRET#x@h/db' },
    /DATABASE_URL: is misread, /,
  ],
  [
    'several hosts',
    { DATABASE_URL: 'postgres://u:S3CRET@one.internal,two.internal/db' },
    /DATABASE_URL: names several hosts; name one address that leads to the primary/,
  ],
  ['MySQL', { DATABASE_URL: 'mysql://u:S3CRET@h/db' }, /DATABASE_URL: is not of the form sqlite:PATH/],
  ['memory', { DATABASE_URL: 'sqlite::memory:' }, /DATABASE_URL: is in memory, where a restart loses/],
  [
    'file',
    { CONFIG_FILE_NAME: 'none.json' },
    /config\/none\.json: can't be read \(ENOENT\); there is none in \/\S+\/config: run "rescind init", which writes one, or set CONFIG_DIR/,
  ],
  [
    'passphrase',
    { KEYSTORE_PASSPHRASE: '' },
    /passphrase: refers to the variable KEYSTORE_PASSPHRASE, which is not set/,
  ],
])('environment: %s', async (_, variables, message) => {
  const error = await refusal(loadFile(rightFile(), { ...env, ...variables }))
  expect(error.problems).toHaveLength(1)
  expect(error.message).toMatch(message)
  expect(inspect(error)).not.toContain('S3CRET')
})

test.each([
  ['{ "a": 1, }', /config\/config\.json: is not valid JSON at line 1, column 11/],
  ['{\n "a": [\n  "S3CRET",\n ] }', /is not valid JSON at line 4, column 2/],
  ['{ "a":\n S3CRET }', /is not valid JSON at line 2, column 2/],
  ['{ "a": "S3CRET', /is not valid JSON/],
  ['', /is not valid JSON/],
  ['null', /the file: is null; write an object/],
])('text that is no configuration: %j', async (text, message) => {
  const error = await refusal(load({ 'config/config.json': text }))
  expect(error.message).toMatch(message)
  expect(inspect(error)).not.toContain('S3CRET')
})

test('every problem is reported at once', async () => {
  const file = rightFile()
  inPolicies({ min_balance: -1, max_in_flight: 0 })(file)
  inNetwork({ chain_id: 'x' })(file)
  inSigner({ type: 'cloud' })(file)
  const error = await refusal(loadFile(file, { ...env, API_KEY: '', APP_PORT: 'x' }))
  expect(error.problems.map(({ place }) => place).sort()).toEqual([
    'API_KEY',
    'APP_PORT',
    'networks[0].chain_id',
    'relayers[0].policies.max_in_flight',
    'relayers[0].policies.min_balance',
    'signers[1].type',
  ])
  expect(error.message).toMatch(/^the configuration has 6 problems:\n {2}- /)
  for (const secret of [passphrase, signingKey]) expect(inspect(error)).not.toContain(secret)
})

test('two relayers that sign as one address on one chain are refused, and on two chains are not', () => {
  const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const one = { id: 'one', chainId: 1, address }
  refuseSharedAddresses([one, { ...one, id: 'two', chainId: 2 }])
  expect(() => refuseSharedAddresses([one, { ...one, id: 'two', address: address.toLowerCase() }])).toThrow(
    /relayer "two": signs as 0x70.* on chain 1, as relayer "one" does/,
  )
})
