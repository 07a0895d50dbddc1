// The units of the domain. Amounts are bigint inside and decimal strings outside; counts are safe integers.

/** Wei, 10^-18 ether. */
export type Wei = bigint
/** Milliseconds since the Unix epoch, UTC. */
export type TimestampMs = number
/** An account's transaction counter (Yellow Paper §4.1); at most 2^53-1 here, EIP-2681 allows 2^64-2. */
export type Nonce = number
/** Units of gas. */
export type Gas = number
export type BlockNumber = number

/** Compares two amounts for a sort, the least first. */
export function compareWei(one: Wei, other: Wei): number {
  return one < other ? -1 : Number(one > other)
}

export function maxWei(first: Wei, ...rest: readonly Wei[]): Wei {
  let most = first
  for (const wei of rest) if (wei > most) most = wei
  return most
}

export function minWei(first: Wei, ...rest: readonly Wei[]): Wei {
  let least = first
  for (const wei of rest) if (wei < least) least = wei
  return least
}

/** `amount` raised by `percent`, rounded up: clients that round differently never see less than they require. */
export function raisedBy(amount: Wei, percent: bigint): Wei {
  return (amount * (100n + percent) + 99n) / 100n
}
