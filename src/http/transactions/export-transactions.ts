// Writes a relayer's transactions as CSV, newest first, as fast as the client reads (GET). At a path of its own: the link of a browser can't
// choose a type by Accept.
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { RescindError } from '../../domain/errors.ts'
import type { RelayerId } from '../../domain/ids.ts'
import type { Labels } from '../../domain/labels.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { nextTurn } from '../../ops/clock.ts'
import type { ListPosition, Matches, TransactionFilter } from '../../store/list-port.ts'
import type { Reads } from '../../store/store.ts'
import { exportSliceRows, exportsPerKeyMax } from '../limits.ts'
import { requesterIdOf } from '../request/authenticate.ts'
import { operation } from '../request/operation.ts'
import { relayerParameters } from '../request/parameters.ts'
import { openPlaces } from '../request/places.ts'
import { foundHistory } from '../response/found.ts'
import { before, filterOf, filterProperties, positionIn, withHead } from './list-filter.ts'
import { presentTransaction, type TransactionBody } from './present-transaction.ts'

// Text as CSV (RFC 4180), for spreadsheets: a cell that would begin a formula there begins with an apostrophe.

/** Excel, LibreOffice and Google Sheets read these as the beginning of a formula, also after a tab or a carriage return. */
const beginsFormula = /^[=+\-@\t\r]/
const needsQuotes = /[",\r\n]/

export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(text: string): string {
  const safe = beginsFormula.test(text) ? `'${text}` : text
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The columns in this order, without call data, access list and signature, which no cell holds. */
const columns = [
  ...(['id', 'relayer_id', 'status', 'status_reason', 'created_at', 'sent_at', 'confirmed_at', 'hash'] as const),
  ...(['from', 'to', 'value', 'nonce', 'gas_limit', 'gas_price', 'max_fee_per_gas'] as const),
  ...(['max_priority_fee_per_gas', 'speed'] as const),
] satisfies readonly (keyof TransactionBody)[]
const labelColumns = ['external_id', 'tags', 'note'] as const
const header = csvLine([...columns, ...labelColumns])

const querySchema = Type.Object({ before, ...filterProperties }, { additionalProperties: false })

export function exportTransactions(reads: Reads, stopping: AbortSignal) {
  const places = openPlaces(exportsPerKeyMax)
  return operation({
    scope: 'read',
    refusals: ['RELAYER_NOT_FOUND', 'TOO_MANY_READS'],
    answerHeaders: ['Content-Disposition'],
    schema: {
      operationId: 'exportTransactions',
      summary: 'Export transactions as CSV, newest first',
      description: `Every transaction that the filters of the list match, one in a row below the names of the columns: ${[...columns, ...labelColumns].join(', ')}. Tags are a list in JSON. A member without a value is an empty cell. Amounts are wei, in full. A cell that begins with =, +, -, @, a tab or a carriage return gets an apostrophe before it, so that no spreadsheet takes it for a formula. An export that can't be finished ends with a closed connection.`,
      tags: ['transactions'],
      params: relayerParameters,
      querystring: querySchema,
      response: {
        200: {
          description: 'The rows, as they are read',
          content: { 'text/csv': { schema: Type.String({ examples: [header] }) } },
        },
      },
    },
    async answer(request, reply) {
      const { params, query, raw } = request
      const id = await foundHistory(reads, params.relayer_id)
      const filter = filterOf(query)
      const position = await positionIn(reads, id, query.before)
      const name = `${id.replaceAll(/[^\w-]/g, '_')}-transactions.csv`
      const csv = () =>
        reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${name}"`)
      if (raw.method === 'HEAD') return csv().send('')

      const leave = places.take(requesterIdOf(request))
      if (!leave) {
        const message = `this key has ${exportsPerKeyMax} exports under way; send it again when one has ended`
        throw new RescindError('TOO_MANY_READS', message)
      }
      try {
        // Before the first byte, so that a failure has its own status.
        const matches = await reads.transactionMatches(id, filter, position)
        const lines = Readable.from(linesOf(reads, id, filter, matches, stopping), {
          objectMode: false,
          highWaterMark: 1,
        })
        lines.once('close', leave)
        return csv().send(lines)
      } catch (error) {
        leave()
        throw error
      }
    },
  })
}

async function* linesOf(
  reads: Reads,
  id: RelayerId,
  filter: TransactionFilter,
  first: Matches,
  stopping: AbortSignal,
): AsyncGenerator<Buffer> {
  yield Buffer.from(header)
  for (let { found, end }: Matches = first; ; ) {
    for (let at = 0; at < found.length; at += exportSliceRows) {
      checkRunning(stopping)
      const ids = found.slice(at, at + exportSliceRows).map((match) => match.id)
      const items = withHead(reads, id, await reads.transactionItemsOf(id, ids))
      const labels = await reads.labels(ids)
      let text = ''
      for (const item of items) {
        const transaction = await item.read()
        if (transaction) text += csvLine(cellsOf(transaction, labels.get(transaction.id)))
      }
      if (text !== '') yield Buffer.from(text)
      await nextTurn()
    }
    if (!end) return
    const next: ListPosition = end
    checkRunning(stopping)
    ;({ found, end } = await reads.transactionMatches(id, filter, next))
  }
}

/** A client sees a closed connection, and no end of the list. */
function checkRunning(stopping: AbortSignal): void {
  if (stopping.aborted) throw new Error('the service stops before the export is finished')
}

function cellsOf(transaction: Transaction, labels: Labels = {}): readonly string[] {
  const { speed, ...body } = presentTransaction(transaction)
  const { externalId = '', tags, note = '' } = labels
  return [
    ...columns.map((column) => (column === 'speed' ? (speed?.name ?? '') : String(body[column] ?? ''))),
    ...[externalId, tags ? JSON.stringify(tags) : '', note],
  ]
}
