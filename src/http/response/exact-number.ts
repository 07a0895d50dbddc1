// An amount as a JSON number with all its digits, where clients expect a number and it may be larger than 2^53.

declare global {
  interface JSON {
    /** ECMAScript's proposal "JSON.parse source text access", in every runtime that we start on. */
    rawJSON(text: string): unknown
  }
}

/** To be serialized, not to be calculated with. */
export function exactNumber(amount: bigint): number {
  const number = Number(amount)
  return Number.isSafeInteger(number) ? number : (JSON.rawJSON(amount.toString()) as number)
}
