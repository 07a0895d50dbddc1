// Reads what a reverted transaction returned, as one node reported it (GET).
import { type Static, Type } from 'typebox'
import { argumentCharsMax, type RevertData, revertBytesMax, revertSources } from '../../domain/revert-data.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { transactionParameters } from '../request/parameters.ts'
import { answers, success } from '../response/envelope.ts'
import { hash, such } from '../response/forms.ts'
import { found } from '../response/found.ts'

const argumentSchema = Type.Object(
  {
    name: Type.Optional(such('available')),
    type: such('uint256'),
    value: Type.String({
      maxLength: argumentCharsMax,
      description: 'Integers in decimal; arrays and tuples as JSON',
      examples: ['5'],
    }),
  },
  { title: 'RevertedArgument', additionalProperties: false },
)

const revertSchema = Type.Object(
  {
    hash: hash('The transaction on the chain'),
    block_number: Type.Integer({ minimum: 0 }),
    block_hash: hash(),
    data: Type.String({
      pattern: '^0x([0-9a-f]{2})*$',
      maxLength: 2 + 2 * revertBytesMax,
      description: `What it returned, at most ${revertBytesMax} bytes`,
      examples: ['0x08c379a0'],
    }),
    truncated: Type.Boolean({ description: 'It returned more' }),
    decoded: Type.Optional(
      Type.Object(
        {
          error: such('Insufficient'),
          signature: such('Insufficient(uint256,uint256)'),
          arguments: Type.Array(argumentSchema),
        },
        {
          title: 'DecodedRevert',
          additionalProperties: false,
          description:
            'Absent where the error is neither `Error`, `Panic` nor in `revert_abi`, or the data does not fit it',
        },
      ),
    ),
    source: Type.Enum([...revertSources], {
      description:
        '`trace`: of the transaction itself, exact. `call_before_block`, `call_after_block`: the same call on the state before or after its block, which may fail for another reason',
    }),
    endpoint: Type.Integer({
      minimum: 0,
      description: 'Position in `rpc_urls` at that time, from 0, of the node that said so. No second one confirms it',
      examples: [0],
    }),
    host: such('rpc.example', 'Of its URL, never more of it'),
  },
  { title: 'Revert', additionalProperties: false },
)

export function getRevert(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['TRANSACTION_NOT_FOUND', 'REVERT_NOT_FOUND'],
    schema: {
      operationId: 'getRevert',
      summary: 'Get what a reverted transaction returned',
      description: 'Kept with the policy `include_revert_data`, from before the transaction was mined.',
      tags: ['transactions'],
      params: transactionParameters,
      response: answers(revertSchema),
    },
    async answer({ params }) {
      const read = await reads.transaction(params.relayer_id, params.transaction_id)
      const transaction = found(read, 'TRANSACTION_NOT_FOUND', 'Not found')
      const kept = await reads.revert(transaction.id)
      const revert = kept && isOf(kept, transaction) ? kept : undefined
      return success(presentRevert(found(revert, 'REVERT_NOT_FOUND', 'no revert data of this transaction is kept')))
    },
  })
}

/** Whether the data is of the transaction's inclusion: after a reorganization it may be that of an earlier block. */
function isOf({ hash, block }: RevertData, { lifecycle }: Transaction): boolean {
  if (!('inclusion' in lifecycle)) return false
  const { inclusion } = lifecycle
  return inclusion.hash === hash && inclusion.block.hash === block.hash
}

function presentRevert({
  hash,
  block,
  data,
  isCut,
  decoded,
  source,
  endpoint,
  host,
}: RevertData): Static<typeof revertSchema> {
  return {
    hash,
    block_number: block.number,
    block_hash: block.hash,
    data,
    truncated: isCut,
    ...(decoded && { decoded: { ...decoded, arguments: [...decoded.arguments] } }),
    source,
    endpoint,
    host,
  }
}
