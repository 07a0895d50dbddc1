// The texts of config.json and .env.
import { CommandError, exits } from '../exits.ts'
import { developmentIds, type FoundNetwork } from './find-network.ts'

interface ConfigFacts {
  readonly relayer: string
  readonly network: FoundNetwork
  /** Path of the keystore, from the working directory. */
  readonly keystore: string
}

export function configText({ relayer, network, keystore }: ConfigFacts): string {
  const variable = (value: string) => ({ type: 'env', value })
  const signer = `${relayer}-key`.slice(0, 36)
  const config = {
    $schema: './config.schema.json',
    relayers: [
      {
        id: relayer,
        name: relayer,
        network: network.name,
        network_type: 'evm',
        paused: false,
        signer_id: signer,
        policies: {},
      },
    ],
    signers: [{ id: signer, type: 'local', config: { path: keystore, passphrase: variable('KEYSTORE_PASSPHRASE') } }],
    notifications: [],
    networks: [{ network: network.name, type: 'evm', ...membersOf(network), rpc_urls: [variable('RPC_URL')] }],
  }
  return `${JSON.stringify(config, undefined, 2)}\n`
}

/** The members that the lists of chains do not have. A development node's block is final at once. */
function membersOf({ isUnlisted, chainId, hasBaseFee }: FoundNetwork) {
  return {
    ...(isUnlisted && { chain_id: chainId, features: hasBaseFee ? ['eip1559'] : [] }),
    ...(developmentIds.includes(chainId) && {
      ...{ is_testnet: true, required_confirmations: 1, average_blocktime_ms: 1_000 },
    }),
  }
}

interface EnvFacts {
  readonly apiKey: string
  readonly url: string
  readonly passphrase: string
  /** STORAGE_ENCRYPTION_KEY. */
  readonly sealing: string
}

export function envText({ apiKey, url, passphrase, sealing }: EnvFacts): string {
  return `# The administrator's key: clients send it as a bearer token.
API_KEY=${apiKey}

RPC_URL=${quoted(url)}

# Opens the keystore. Without it the key is lost.
KEYSTORE_PASSPHRASE=${quoted(passphrase)}

# Seals secrets that are given through the API.
STORAGE_ENCRYPTION_KEY=${sealing}
`
}

/** Between quotes that the text does not contain: nothing in it is a comment or an escape then. */
function quoted(text: string): string {
  const quote = ["'", '`'].find((each) => !text.includes(each))
  if (quote === undefined || /[\r\n]/.test(text)) {
    throw new CommandError(
      exits.error,
      'a passphrase with line breaks, or with both kinds of quotes, does not fit into .env',
    )
  }
  return `${quote}${text}${quote}`
}
