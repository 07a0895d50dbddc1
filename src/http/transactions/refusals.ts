// Refusals that several operations on transactions share.

/** By the transaction in the body, and by the relayer's policies. */
export const sendRefusals = ['RELAYER_PAUSED', 'POLICY_VIOLATION', 'GAS_LIMIT_TOO_LOW'] as const

/** Of a send, alone or in a batch. */
export const submitRefusals = [
  'RELAYER_NOT_FOUND',
  ...sendRefusals,
  'IDEMPOTENCY_KEY_REUSED',
  'EXTERNAL_ID_TAKEN',
  'TRANSACTION_GONE',
  'QUEUE_FULL',
  'TOO_MANY_REFUSED',
] as const
