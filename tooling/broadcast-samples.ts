// What execution clients really answer to eth_sendRawTransaction, and what each answer must be taken for.
import type { RejectionCode } from '../src/domain/attempt.ts'

export interface Sample {
  readonly client: string
  readonly message: string
  /** -32000 where the client uses no other. */
  readonly code?: number
  readonly means: RejectionCode | 'alreadyKnown' | 'unknown'
}

type Meaning = Sample['means']

function of(client: string, means: Meaning, ...messages: readonly string[]): readonly Sample[] {
  return messages.map((message) => ({ client, message, means }))
}

const geth: readonly Sample[] = [
  ...of('geth', 'nonceTooLow', 'nonce too low: next nonce 5, tx nonce 4'),
  ...of('geth', 'alreadyKnown', 'already known'),
  ...of('geth', 'replacementUnderpriced', 'replacement transaction underpriced'),
  ...of('geth', 'feeTooLow', 'transaction underpriced', 'transaction underpriced: tip needed 1000000, tip permitted 1'),
  ...of('geth', 'feeTooLow', 'transaction gas price below minimum: gas tip cap 1, minimum needed 1000000'),
  ...of('geth', 'poolFull', 'txpool is full', 'future transaction tries to replace pending'),
  ...of('geth', 'typeConflict', 'address already reserved', 'authority already reserved'),
  ...of('geth', 'poolFull', 'in-flight transaction limit reached for delegated accounts'),
  ...of('geth', 'nonceGap', 'gapped-nonce tx from delegated accounts'),
  ...of('geth', 'insufficientFunds', 'insufficient funds for gas * price + value: balance 1, tx cost 2, overshot 1'),
  ...of('geth', 'nodeLimit', 'tx fee (1.50 ether) exceeds the configured cap (1.00 ether)'),
  ...of('geth', 'invalid', 'max priority fee per gas higher than max fee per gas'),
]

const fatal: readonly Sample[] = of(
  'every client',
  'invalid',
  'intrinsic gas too low',
  'intrinsic gas too low: gas 20000, minimum needed 21000',
  'exceeds block gas limit',
  'oversized data',
  'max initcode size exceeded',
  'invalid sender',
  'transaction type not supported',
  'transaction gas limit too high',
  'insufficient gas for floor data gas cost',
)

const reth: readonly Sample[] = [
  ...of('reth', 'nonceTooLow', 'nonce too low: next nonce 5, tx nonce 4'),
  ...of('reth', 'alreadyKnown', 'already known'),
  ...of('reth', 'replacementUnderpriced', 'replacement transaction underpriced'),
  ...of('reth', 'feeTooLow', 'transaction underpriced'),
  ...of('reth', 'poolFull', 'txpool is full'),
  ...of('reth', 'nonceGap', 'nonce too high'),
  ...of('reth', 'typeConflict', 'address already reserved'),
  ...of('reth', 'insufficientFunds', 'insufficient funds for gas * price + value: have 1 want 2'),
]

const erigon: readonly Sample[] = [
  ...of('Erigon', 'nonceTooLow', 'NonceTooLow: nonce too low'),
  ...of('Erigon', 'alreadyKnown', 'AlreadyKnown: already known', 'DuplicateHash: existing txn with same hash'),
  ...of('Erigon', 'replacementUnderpriced', 'ReplaceUnderpriced: replacement transaction underpriced'),
  ...of('Erigon', 'replacementUnderpriced', 'NotReplaced: could not replace existing tx'),
  ...of('Erigon', 'feeTooLow', 'UnderPriced: underpriced', 'FeeTooLow: fee too low'),
  ...of('Erigon', 'poolFull', 'PendingPoolOverflow: pending sub-pool is full'),
  ...of('Erigon', 'poolFull', 'BaseFeePoolOverflow: baseFee sub-pool is full'),
  ...of('Erigon', 'poolFull', 'QueuedPoolOverflow: queued sub-pool is full', 'Spammer: spammer'),
  ...of('Erigon', 'typeConflict', "BlobTxReplace: can't replace blob-txn with a non-blob-txn"),
  ...of('Erigon', 'typeConflict', 'ErrAuthorityReserved: EIP-7702 transaction with authority already reserved'),
  ...of('Erigon', 'insufficientFunds', 'InsufficientFunds: insufficient funds'),
]

const nethermind: readonly Sample[] = [
  ...of('Nethermind', 'nonceTooLow', 'nonce too low'),
  ...of('Nethermind', 'alreadyKnown', 'already known'),
  ...of('Nethermind', 'replacementUnderpriced', 'replacement transaction underpriced'),
  ...of('Nethermind', 'feeTooLow', 'transaction underpriced'),
  ...of('Nethermind', 'nonceGap', 'nonce too high', 'nonce too far in future', 'delegation nonce gap'),
  ...of('Nethermind', 'typeConflict', 'pending transaction type conflict'),
  ...of('Nethermind', 'poolFull', 'delegation authority has pending transaction'),
  ...of('Nethermind', 'insufficientFunds', 'insufficient funds for gas * price + value: balance 1, tx cost 2'),
  ...of('Nethermind before 1.25', 'nonceTooLow', 'OldNonce'),
  ...of('Nethermind before 1.25', 'alreadyKnown', 'AlreadyKnown', 'OwnNonceAlreadyUsed'),
  ...of('Nethermind before 1.25', 'replacementUnderpriced', 'ReplacementNotAllowed'),
  ...of('Nethermind before 1.25', 'feeTooLow', 'FeeTooLow', 'FeeTooLowToCompete'),
  ...of('Nethermind before 1.25', 'nonceGap', 'NonceGap'),
  ...of('Nethermind before 1.25', 'insufficientFunds', 'InsufficientFunds'),
]

const besu: readonly Sample[] = [
  { client: 'Besu', code: -32001, message: 'Nonce too low', means: 'nonceTooLow' },
  { client: 'Besu', code: -32000, message: 'Known transaction', means: 'alreadyKnown' },
  { client: 'Besu', code: -32000, message: 'Replacement transaction underpriced', means: 'replacementUnderpriced' },
  { client: 'Besu', code: -32009, message: 'Gas price below configured minimum gas price', means: 'feeTooLow' },
  { client: 'Besu', code: -32009, message: 'Gas price below current base fee', means: 'feeTooLow' },
  { client: 'Besu', code: -32006, message: 'Nonce too high', means: 'nonceGap' },
  {
    client: 'Besu',
    code: -32006,
    message: 'Transaction nonce is too distant from current sender nonce',
    means: 'nonceGap',
  },
  { client: 'Besu', code: -32603, message: 'Internal error', means: 'unknown' },
  { client: 'Besu', code: -32004, message: 'Upfront cost exceeds account balance', means: 'insufficientFunds' },
]

const development: readonly Sample[] = [
  ...of('anvil', 'nonceTooLow', 'nonce too low'),
  ...of('anvil', 'alreadyKnown', 'transaction already imported'),
  ...of('anvil', 'replacementUnderpriced', 'replacement transaction underpriced'),
  ...of('anvil', 'feeTooLow', 'max fee per gas less than block base fee'),
  ...of('anvil', 'nonceGap', 'Nonce too high'),
  ...of('anvil', 'invalid', 'intrinsic gas too high -- tx.gas_limit > env.block.gas_limit'),
  ...of('anvil', 'invalid', 'invalid chain id for signer'),
  ...of('anvil', 'insufficientFunds', 'Insufficient funds for gas * price + value'),
  ...of('Hardhat', 'nonceTooLow', 'Nonce too low. Expected nonce to be 1 but got 0.'),
  ...of('Hardhat', 'alreadyKnown', `Known transaction: 0x${'ab'.repeat(32)}`),
  ...of(
    'Hardhat',
    'replacementUnderpriced',
    'Replacement transaction underpriced. A gasPrice/maxFeePerGas of at least 1100 is necessary to replace the existing transaction with nonce 0.',
    'Replacement transaction underpriced. A gasPrice/maxPriorityFeePerGas of at least 1100 is necessary to replace the existing transaction with nonce 0.',
  ),
  ...of(
    'Hardhat',
    'insufficientFunds',
    "Sender doesn't have enough funds to send tx. The max upfront cost is: 2 and the sender's balance is: 1.",
    "sender doesn't have enough funds to send tx",
  ),
]

const hardhatFatal: readonly Sample[] = of(
  'Hardhat',
  'invalid',
  'Transaction requires at least 21000 gas but got 20000',
  'Transaction requires gas floor of 61000 but got limit of 38000',
  'Transaction gas limit is 17000000 and exceeds transaction gas cap of 16777216',
  'Trying to send a raw transaction with an invalid chainId. The expected chainId is 31337',
  'Trying to send a deployment transaction whose init code length is 60000. The max length allowed by EIP-3860 is 49152.',
)

const nobodyRecorded: readonly Sample[] = [
  ...of('a gateway', 'unknown', 'upstream request failed', 'execution aborted (timeout = 5s)', ''),
  { client: 'a gateway', code: -32603, message: 'internal error', means: 'unknown' },
]

/** From the sources of clients and from public reports of users. */
const reported: readonly Sample[] = [
  ...of('a public report', 'nonceTooLow', 'invalid transaction nonce'),
  ...of('Frontier', 'nonceTooLow', 'submit transaction to pool failed: Pool(Stale)'),
  ...of('Frontier', 'alreadyKnown', 'submit transaction to pool failed: Pool(AlreadyImported)'),
  ...of(
    'Frontier',
    'replacementUnderpriced',
    'submit transaction to pool failed: Pool(TooLowPriority { old: 1, new: 1 })',
    'priority is too low: (1 vs 1)',
  ),
  ...of('a public report', 'replacementUnderpriced', 'there is another tx which has the same nonce in the tx pool'),
  ...of('a public report', 'replacementUnderpriced', 'gas price not enough to bump transaction'),
  ...of('a public report', 'alreadyKnown', 'tx already in mempool', 'tx already exists in cache'),
  ...of(
    'a public report',
    'alreadyKnown',
    'pending transaction with same hash already exists',
    'transaction already finalized',
  ),
  ...of(
    'a public report',
    'feeTooLow',
    'gas price too low: 18000000000 wei, use at least tx.gasPrice = 19500000000 wei',
  ),
  ...of(
    'a public report',
    'feeTooLow',
    'gas price too low',
    "Gas price '10' is below configured minimum gas price '72'",
  ),
  ...of('a public report', 'feeTooLow', 'insufficient fee; got: 1 required: 2: insufficient fee'),
  ...of('a public report', 'feeTooLow', "transaction's gas price lower than block's minimum"),
  ...of('a public report', 'insufficientFunds', 'insufficient balance for transfer', 'not enough funds for gas'),
  ...of('a public report', 'insufficientFunds', 'transaction would cause overdraft'),
  ...of('a public report', 'poolFull', 'queue full', 'sequencer pending tx pool full, please try again'),
  ...of('a public report', 'poolFull', 'tx dropped due to L2 congestion', 'transaction pool is full'),
  ...of('a public report', 'poolFull', 'mempool is full: number of txs 5000 (max: 5000)'),
  ...of('Besu', 'nodeLimit', 'Transaction fee cap exceeded'),
  { client: 'Besu', code: -32003, message: 'Intrinsic gas exceeds gas limit', means: 'invalid' },
  { client: 'Besu', code: -32005, message: 'Transaction gas limit exceeds block gas limit', means: 'invalid' },
  ...of('a public report', 'invalid', 'TxGasLimitCapExceeded: Gas limit 17545190 exceeded cap of 16777216.'),
  ...of('a public report', 'invalid', 'SenderIsContract'),
  ...of('a public report', 'invalid', 'gas uint64 overflow'),
  ...of('a public report', 'invalid', 'Invalid signature', 'forbidden sender address'),
  ...of('a public report', 'invalid', "transaction's basic cost is above the gas limit"),
  ...of(
    'a public report',
    'invalid',
    'call failed: GasLimitExceeded, Gas limit: 100, gas limit of rejected tx: 150',
    'failed to validate the transaction. reason: Validation revert: Account validation error: Not enough gas for transaction validation',
  ),
]

/** OffchainLabs' go-ethereum, `arbitrum_types/txoptions.go`. */
const nitro = of('Nitro', 'nodeLimit', 'TimestampMax condition not met')

export const samples: readonly Sample[] = [
  ...nitro,
  ...geth,
  ...fatal,
  ...reth,
  ...erigon,
  ...nethermind,
  ...besu,
  ...development,
  ...hardhatFatal,
  ...reported,
  ...nobodyRecorded,
]
