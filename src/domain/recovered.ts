// What the history says of a transaction that was found on the chain, and not in the database.

export const recoveredReason =
  'sent by a part of its history that this database does not hold: was it restored from an older copy?'

/** The reason of a restored cancellation. */
export const restoredReason =
  'restored from the chain, as this database does not hold it: was it restored from an older copy?'
