// Lists the contradictions between the endpoints of a network, newest first (GET).
import { type Static, Type } from 'typebox'
import type { ManagementContext } from '../../commands/management.ts'
import {
  answerCharactersMax,
  contradictionConditions,
  contradictionsMax,
  type RecordedContradiction,
} from '../../domain/contradiction.ts'
import { operation } from '../request/operation.ts'
import { networkParameters } from '../request/parameters.ts'
import { pageOf, pageQuery, paginationOf } from '../request/parse-page.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, hash, optionalInteger, such, time } from '../response/forms.ts'
import { presentTime } from '../response/present-values.ts'
import { networkOf } from './read-networks.ts'

const answerSchema = closed('ContradictingAnswer')({
  endpoint: Type.Integer({
    minimum: 0,
    description: 'Its position in `rpc_urls` at that time, from 0',
    examples: [0],
  }),
  host: such('rpc.example', 'Of its URL, never more of it'),
  answer: Type.String({
    maxLength: answerCharactersMax,
    description: 'What the endpoint showed, as JSON that is cut off at 1,024 characters',
    examples: ['{"block":1042,"block_hash":"0x5e6f7081…","lists_spender":false,"transactions":17}'],
  }),
})

const contradictionSchema = closed('Contradiction')({
  at: time(),
  condition: Type.Enum([...contradictionConditions], {
    description:
      '`witnesses_contradict`: about the spender of a nonce or its result. `branches_differ`: about the blocks near the head. `wrong_chain`: about the chain id, or the block of the anchor',
  }),
  question: closed('ContradictionQuestion')({
    chain_id: optionalInteger({ description: 'The chain that the endpoint should serve' }),
    block_number: optionalInteger({ minimum: 0 }),
    block_hash: Type.Optional(hash('The block that one side shows at that height, or the anchor')),
    transaction_hash: Type.Optional(hash('The spender of the nonce')),
    succeeded: Type.Optional(Type.Boolean({ description: 'The result that one side shows' })),
  }),
  answers: Type.Array(answerSchema),
})

export function listContradictions({ registry, store }: Pick<ManagementContext, 'registry' | 'store'>) {
  return operation({
    scope: 'admin',
    refusals: ['NETWORK_NOT_FOUND'],
    operationId: 'listContradictions',
    summary: 'List contradictions between the endpoints of a network, newest first',
    description: `Answers that cannot all be true, to be taken up with a provider. They are kept for a week, at most ${contradictionsMax} of a network, from all replicas.`,
    params: networkParameters,
    querystring: pageQuery,
    response: answers(Type.Array(contradictionSchema)),
    async answer({ params: { network_id: id }, query }) {
      await registry.refresh()
      const network = networkOf(registry.networks(), id)
      const page = pageOf(query)
      const { items, total } = await store.reads.contradictions(network, page)
      return success(items.map(presentContradiction), [], paginationOf(page, total))
    },
  })
}

function presentContradiction({
  at,
  condition,
  question: { chainId, block, spender, succeeded },
  answers,
}: RecordedContradiction): Static<typeof contradictionSchema> {
  return {
    at: presentTime(at),
    condition,
    question: {
      ...(chainId !== undefined && { chain_id: chainId }),
      ...(block && { block_number: block.number, block_hash: block.hash }),
      ...(spender && { transaction_hash: spender }),
      ...(succeeded !== undefined && { succeeded }),
    },
    answers: [...answers],
  }
}
