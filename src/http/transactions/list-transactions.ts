// Lists a relayer's transactions, newest first (GET).
import { type Static, Type } from 'typebox'
import type { RelayerId } from '../../domain/ids.ts'
import { statuses, type Transaction } from '../../domain/transaction.ts'
import { mayWaitBehind, type QueueHead, waitingBehind } from '../../domain/wait.ts'
import type { PageItem } from '../../store/page-port.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { pageOf, pageProperties, paginationOf } from '../request/parse-page.ts'
import { answers, type Pagination } from '../response/envelope.ts'
import { foundHistory } from '../response/found.ts'
import { sendList } from '../response/sliced-list.ts'
import { presentTransaction, transactionSchema } from './present-transaction.ts'

/** The traces of a relayer are listed by the same query. */
export const listQuerySchema = Type.Object(
  {
    ...pageProperties,
    status: Type.Optional(Type.Enum([...statuses], { description: `one of ${statuses.join(', ')}` })),
  },
  { additionalProperties: false },
)

export function listTransactions(reads: Reads) {
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND'],
    schema: {
      operationId: 'listTransactions',
      summary: 'List transactions, newest first',
      tags: ['transactions'],
      params: relayerParameters,
      querystring: listQuerySchema,
      response: answers(Type.Array(transactionSchema)),
    },
    async answer({ params, query }, reply) {
      const { items, pagination } = await listed(reads, params.relayer_id, query)
      return sendList(reply, items, presentTransaction, pagination)
    },
  })
}

interface Listed {
  readonly items: readonly PageItem<Transaction>[]
  readonly pagination: Pagination
}

/** Throws the refusal of a relayer that never was. */
export async function listed(
  reads: Reads,
  relayerId: RelayerId,
  query: Static<typeof listQuerySchema>,
): Promise<Listed> {
  const id = await foundHistory(reads, relayerId)
  const page = pageOf(query)
  const { items, total } = await reads.transactionItems(id, query.status ? { status: query.status } : {}, page)
  return { items: withHead(reads, id, items), pagination: paginationOf(page, total) }
}

/** The head of the queue is read once, and only if one of the items may wait behind it. */
function withHead(
  reads: Reads,
  id: RelayerId,
  items: readonly PageItem<Transaction>[],
): readonly PageItem<Transaction>[] {
  let head: Promise<QueueHead | undefined> | undefined
  return items.map(({ bytes, read }) => ({
    bytes,
    async read() {
      const transaction = await read()
      if (!transaction || !mayWaitBehind(transaction)) return transaction
      head ??= reads.queueHead(id)
      return waitingBehind(transaction, await head)
    },
  }))
}
