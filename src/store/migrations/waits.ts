// The migration from texts to data: why a transaction waits, and which attempts were recovered. Earlier versions stored
// only texts, so this one file reads them. It has landed, and is never edited.

/** The prefixes of texts of earlier versions, as patterns of LIKE, with their conditions; the first match counts. */
const sentences: readonly (readonly [pattern: string, condition: string])[] = [
  ['waits: the relayer is paused%', 'paused'],
  ['waits: the replacement is forbidden: %', 'policy'],
  ['waits: the balance % below min_balance %', 'balance_below_minimum'],
  ['waits: the balance %does not cover its value%', 'balance_short'],
  ['waits: a higher price is needed, and the balance %', 'balance_short'],
  ['waits: a node says that the balance does not cover it%', 'balance_short'],
  ['canceled; the balance does not cover the no-op%', 'cancel_unfunded'],
  ['waits: the base fee %', 'gas_price_cap'],
  ['waits: the fee that it was sent with %', 'gas_price_cap'],
  ['waits at gas_price_cap %', 'gas_price_cap'],
  ['waits at cancel_gas_price_cap %', 'cancel_gas_price_cap'],
  ['canceled; the no-op would need more%', 'cancel_gas_price_cap'],
  ['waits at the price that it was sent with %', 'own_price'],
  ['waits: none of the % attempts for nonce %', 'attempts_exhausted'],
  ['waits: no attempt for nonce %', 'attempts_exhausted'],
  ['canceled; none of % no-ops for nonce %', 'attempts_exhausted'],
  ['canceled; no no-op for nonce %', 'attempts_exhausted'],
  ['waits: nonce % comes first, and a transaction that is not ours %', 'nonce_blocked'],
  ['waits: nonce % comes first, and the node refuses %', 'node_refuses'],
  ['canceled; nonce % comes first, and the node refuses %', 'node_refuses'],
  ['waits: nonce % comes first and is unused, %', 'pool_unseen'],
  ['canceled; nonce % comes first and is unused, %', 'pool_unseen'],
  ['waits: nonce % is spent, and no node shows %', 'nonce_unproven'],
  ['canceled; nonce % is spent, and no node shows %', 'nonce_unproven'],
  ['waits: nonce% used by transactions that this database does not hold%', 'history_unknown'],
  ['waits: the no-op % canceled this or another transaction%', 'cancellation_unclear'],
  ['waits: the node says nonce %', 'node_behind'],
  ['waits: the node refuses %', 'node_refuses'],
  ['waits: a node holds its own price too low: %', 'node_refuses'],
  ['waits: a node answers with an error %', 'node_refuses'],
  ['canceled; a node answers the no-op with an error %', 'node_refuses'],
  ['canceled; the node refuse%', 'node_refuses'],
  ['waits: no node could be reached%', 'node_unreachable'],
  ['waits: no node of the network answers%', 'node_unreachable'],
  ['canceled; no node of the network answers%', 'node_unreachable'],
  ['canceled; the no-op could not reach a node%', 'node_unreachable'],
  ['waits: no node tells %', 'facts_missing'],
  ['waits: the node could not estimate %', 'gas_unknown'],
  ['waits for what is in flight: it would revert %', 'would_revert'],
  ['waits: the replacement would revert: %', 'would_revert'],
]

const condition = [
  'CASE',
  ...sentences.map(([pattern, is]) => `WHEN status_reason LIKE '${pattern}' THEN '${is}'`),
  // Under `speed` pricing only the cap can be too low; otherwise the transaction's own fee is.
  "WHEN status_reason LIKE 'waits: over 0x% it needs %' AND pricing = 'speed' THEN 'gas_price_cap'",
  "WHEN status_reason LIKE 'waits: over 0x% it needs %' THEN 'own_price'",
  'END',
].join('\n')

/** The text that the wait replaced, where the row still implies it. */
const history = `CASE WHEN cancel_origin = 'request' THEN 'canceled on request'
  WHEN cancel_origin = 'expiry' THEN 'valid_until has passed'
  WHEN cancel_origin = 'refusal' THEN 'no node takes it as it is'
  WHEN earlier IS NOT NULL THEN 'replaced on request' END`

export const waits: readonly string[] = [
  'ALTER TABLE transactions ADD COLUMN wait_condition TEXT',
  'ALTER TABLE transactions ADD COLUMN wait_text TEXT',
  // A transaction that is mined or ended does not wait. A text that no version wrote stays as it is.
  `UPDATE transactions SET wait_condition = ${condition}
    WHERE open = 1 AND phase IN ('queued', 'inFlight') AND status_reason IS NOT NULL`,
  `UPDATE transactions SET wait_text = status_reason, status_reason = ${history}
    WHERE open = 1 AND wait_condition IS NOT NULL`,
  'ALTER TABLE attempts ADD COLUMN recovered INTEGER NOT NULL DEFAULT 0',
  `UPDATE attempts SET recovered = 1 WHERE state = 'handed' AND outcome = 'unknown' AND outcome_message =
    'sent by a part of its history that this database does not hold: was it restored from an older copy?'`,
]
