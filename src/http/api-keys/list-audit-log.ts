// Lists the audit records, newest first (GET).

import { type Static, Type } from 'typebox'
import type { AuditEntry, AuditPosition } from '../../domain/audit.ts'
import { defined } from '../../domain/defined.ts'
import type { Reads } from '../../store/store.ts'
import { operation } from '../request/operation.ts'
import { pageOf, pageProperties, paginationOf } from '../request/parse-page.ts'
import { answers, success } from '../response/envelope.ts'
import { closed, optionalInteger, optionalString, such, time } from '../response/forms.ts'
import { labelsSchema, presentLabels, presentTime } from '../response/present-values.ts'

const entrySchema = closed('AuditRecord')({
  id: such('1042-7', "The record's position in the log, for `before`"),
  at: time(),
  outcome: Type.Enum(['allowed', 'refused', 'failed']),
  code: optionalString({ description: 'For a refusal or a failure: its `Relayer-Error-Code`' }),
  key_id: optionalString({ description: 'Absent: unauthenticated' }),
  operation: optionalString({ description: 'Its `operationId` in this document' }),
  relayer_id: Type.Optional(Type.String()),
  transaction_id: Type.Optional(Type.String()),
  subject_id: optionalString({ description: 'The id of any other entity, such as an API key' }),
  labels: Type.Optional(labelsSchema),
  request_id: optionalString({ description: "The request's `X-Request-Id`" }),
  address: Type.Optional(Type.String()),
  count: optionalInteger({
    minimum: 1,
    description: 'How many equal refusals, or requests that changed nothing, this record stands for',
  }),
})

const querySchema = Type.Object(
  {
    before: optionalString({
      pattern: '^[0-9]{1,15}-[0-9]{1,9}$',
      description: 'the id of an entry, such as "1042-7"; the answer begins with the one before it',
    }),
    per_page: pageProperties.per_page,
  },
  { additionalProperties: false },
)

export function listAuditLog(reads: Reads) {
  return operation({
    scope: 'admin',
    operationId: 'listAuditLog',
    summary: 'List the audit log, newest first',
    description:
      'Accepted changes, and refusals. For older records, repeat the request with `before`, the id of the last record of this response: then no record is repeated or left out while new ones arrive.',
    querystring: querySchema,
    response: answers(Type.Array(entrySchema)),
    async answer({ query }) {
      const page = pageOf(query)
      const { entries, total } = await reads.audit(
        page.perPage,
        query.before === undefined ? undefined : positionOf(query.before),
      )
      return success(entries.map(presentEntry), [], paginationOf(page, total))
    },
  })
}

function positionOf(id: string): AuditPosition {
  const [commit, index] = id.split('-').map(Number)
  return { commit: commit ?? 0, index: index ?? 0 }
}

function presentEntry(entry: AuditEntry): Static<typeof entrySchema> {
  return {
    id: `${entry.position.commit}-${entry.position.index}`,
    at: presentTime(entry.at),
    outcome: entry.outcome,
    ...defined({
      code: entry.code,
      key_id: entry.keyId,
      operation: entry.operation,
      relayer_id: entry.relayerId,
      transaction_id: entry.transactionId,
      subject_id: entry.subjectId,
    }),
    ...(entry.labels && { labels: presentLabels(entry.labels) }),
    ...defined({ request_id: entry.requestId, address: entry.address, count: entry.count }),
  }
}
