// Refusals that several operations on transactions share.

/** By the transaction in the body, and by the relayer's policies. */
export const sendRefusals = ['RELAYER_PAUSED', 'POLICY_VIOLATION', 'GAS_LIMIT_TOO_LOW'] as const
