// A message for each error code that an operation may answer with, as an example in the OpenAPI document.
import { type ErrorCode, tooManyMatches } from '../../domain/errors.ts'
import { tooLateToChange } from '../../domain/refusals.ts'

const transactionId = '019aa5c2-7d3e-7b43-9a52-6c1e3f0d2b84'

/** Codes whose texts the API fixes have none, and neither have those that no described operation answers with. */
const messages: Partial<Record<ErrorCode, string>> = {
  INVALID_REQUEST: 'value: "0x1" is not wei as a decimal string, such as "1000000000000000000", or as an integer',
  MALFORMED_HTTP: 'Bad Request',
  MALFORMED_JSON: 'body: is not JSON; send a JSON object',
  NOT_SUPPORTED: 'network_type: "stellar" is not supported; relayers are of type "evm"',
  GAS_LIMIT_TOO_LOW: 'gas_limit: 21000 is below the intrinsic gas of 21064; send that or more, or none',
  POLICY_VIOLATION: 'value: 2000000000000000000 is above value_cap, 1000000000000000000',
  RELAYER_PAUSED: 'relayer "local" is paused and takes no new transactions',
  TRANSACTION_ALREADY_MINED: tooLateToChange(transactionId, 'mined'),
  TRANSACTION_ALREADY_CONFIRMED: tooLateToChange(transactionId, 'confirmed'),
  TRANSACTION_ALREADY_FAILED: tooLateToChange(transactionId, 'failed'),
  TRANSACTION_ALREADY_EXPIRED: tooLateToChange(transactionId, 'expired'),
  TRANSACTION_ALREADY_CANCELED: tooLateToChange(transactionId, 'canceled'),
  TRANSACTION_ALREADY_ORDERED:
    'transaction 019aa5c2-7d3e-7b43-9a52-6c1e3f0d2b84: the sequencer accepted it; send a new one',
  TRANSACTION_IS_SWEEP: `transaction ${transactionId} empties the account, and the service settles its value; cancel it and send a new transaction`,
  TOO_LATE_TO_HOLD: `transaction ${transactionId} has a nonce, and the new payload would be held; cancel it and send a new transaction`,
  TOO_MANY_REPLACEMENTS: `transaction ${transactionId} would keep 65 earlier payloads of 8320 bytes, and it keeps at most 64 of 262144 bytes; cancel it and send a new transaction`,
  PAYLOAD_DIGEST_MISSING: `payload_digest: is missing, and transaction ${transactionId} is under four eyes; read its hold, compare the payload, and send the digest shown there`,
  PAYLOAD_DIGEST_DIFFERS: `payload_digest: is not that of the current payload of transaction ${transactionId}; read its hold again, compare the payload, and send the digest shown there`,
  SECOND_KEY_REQUIRED: `transaction ${transactionId} is under four eyes, and key "019aa5c2-91b0-7e0f-8d11-f0a4c3b7e625" set a payload of it; release it with another key`,
  SWEEP_UNDER_WAY: `transaction ${transactionId} empties the account to 0x70997970C51812dc3A010C7d01b50e0d17dc79C8, with its gas estimated; cancel it to sweep otherwise`,
  SWEEP_NOT_FOUND: 'nobody has swept this relayer',
  TRANSACTION_IS_GAP_FILLER:
    "transaction 019aa5c2-7d3e-7b43-9a52-6c1e3f0d2b84 is the service's own no-op, for a nonce that was given up; send a new transaction",
  TOO_MANY_MATCHES: tooManyMatches(45, 43).message,
  STORAGE_KEY_MISSING: 'config.key would be stored, and there is no key to seal it with; set STORAGE_ENCRYPTION_KEY',
  EXTERNAL_ID_TAKEN:
    'external_id: "invoice-2044" belongs to transaction 019aa5c2-7d3e-7b43-9a52-6c1e3f0d2b84, which is pending; read that one; another payment needs another external_id',
  IDEMPOTENCY_KEY_REUSED: 'Idempotency-Key: was used for another request; send a new key',
  RELAYER_NOT_FOUND: 'Relayer with ID local not found',
  API_KEY_NOT_FOUND: 'API key with ID 019aa5c2-91b0-7e0f-8d11-f0a4c3b7e625 not found',
  HOLD_NOT_FOUND: 'this transaction is not on hold',
  CANCELLATION_NOT_FOUND: 'this transaction was not canceled',
  CONDITION_NOT_FOUND: 'relayer "local" does not have the condition balance_short: it has none',
  SIGNER_NOT_FOUND: 'Signer with ID dev not found',
  NOTIFICATION_NOT_FOUND: 'Notification with ID alerts not found',
  NETWORK_NOT_FOUND: 'Network with ID evm:sepolia not found',
  DEAD_LETTER_NOT_FOUND: 'event 1042 is no dead letter of this notification',
  ALREADY_EXISTS: 'id: there is a relayer "local"; give this one another id, or none',
  ACCOUNT_IN_USE: 'signer_id: its account on this chain is that of relayer "local"; give this one another signer',
  CONFIGURED_BY_FILE: 'signer "dev" is in the configuration file; change it there and restart',
  SIGNER_IN_USE: 'signer "dev" is used by relayer "local"; delete them first',
  NOTIFICATION_IN_USE: 'notification "alerts" is used by relayer "local"; delete them first',
  RELAYER_HAS_OPEN_TRANSACTIONS: 'relayer "local" has open transactions; cancel them first',
  EVENTS_GONE:
    'the events from 1042 to 2084 were pruned; read the transactions themselves, then follow from after=4168',
  TRANSACTION_GONE:
    'Idempotency-Key: it sent transaction 019aa5c2-7d3e-7b43-9a52-6c1e3f0d2b84, which has ended and is no longer kept; nothing is sent again',
  BULK_CANCELLATION_GONE:
    'Idempotency-Key: it made bulk cancellation 019aa5c2-7d3e-7b43-9a52-6c1e3f0d2b84, which is no longer kept; nothing is canceled again',
  BODY_TOO_LARGE: 'body: is larger than this service takes',
  UNSUPPORTED_MEDIA_TYPE: 'body: is not JSON by its Content-Type; send Content-Type: application/json',
  QUEUE_FULL: 'relayer "local" has as many pending transactions as it may have; send again as blocks are mined',
  TOO_MANY_REFUSED:
    'relayer "local": every node refused 16 transactions of this API key within an hour; correct what you send, and send again later',
  TOO_MUCH_UNREAD: 'this key has not read its earlier responses; read them first',
  TOO_MANY_STREAMS: 'this key has 32 streams open; close some',
  TOO_MANY_READS: 'this key has 4 requests of a node under way; send it again when one is answered',
  DATABASE_UNAVAILABLE: 'the database is not available; send it again',
  STORAGE_LOW:
    'the disk of the database has 300 MiB free, and 312 MiB are kept for cancellations; make room there, or cancel transactions',
  OUTCOME_UNKNOWN: 'the database did not confirm the commit; read whether it happened',
  NODE_UNAVAILABLE: 'no node of network "sepolia" answers',
  NOT_READY: 'the store does not answer',
  SIGNER_UNAVAILABLE: 'signer "dev" did not sign; send it again',
  SHUTTING_DOWN: 'shutting down; send it again elsewhere',
}

export function exampleMessage(code: ErrorCode): string {
  return messages[code] ?? code
}
