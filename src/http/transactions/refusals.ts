// Refusals that several operations on transactions share.

/** By the transaction in the body, and by the relayer's policies. */
export const sendRefusals = ['RELAYER_PAUSED', 'POLICY_VIOLATION', 'GAS_LIMIT_TOO_LOW'] as const

/** A cancellation or a replacement comes too late. */
export const lateRefusals = [
  'TRANSACTION_ALREADY_MINED',
  'TRANSACTION_ALREADY_CONFIRMED',
  'TRANSACTION_ALREADY_FAILED',
  'TRANSACTION_ALREADY_EXPIRED',
] as const
