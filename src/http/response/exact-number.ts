// An amount as a JSON number with all its digits, for clients that expect a number: it may be larger than 2^53.

declare global {
  interface JSON {
    /** The proposal "JSON.parse source text access" of ECMAScript; every supported runtime has it. */
    rawJSON(text: string): unknown
  }
}

/** For serialization only, not for arithmetic. */
export function exactNumber(amount: bigint): number {
  const number = Number(amount)
  return Number.isSafeInteger(number) ? number : (JSON.rawJSON(amount.toString()) as number)
}
