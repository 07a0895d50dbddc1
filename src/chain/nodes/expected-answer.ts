// What a request may be answered with: its size, its members, and the parts of a large answer that are of use.
import { answerBytesMaxOf, answerLimits } from './answer-limits.ts'
import type { Call, SoughtInBody } from './call.ts'

export interface ExpectedAnswer {
  readonly bytesMax: number
  readonly calls: readonly ExpectedMember[]
}

export interface ExpectedMember {
  readonly id: number
  readonly method: string
  /** The account and nonces that the caller looks for in a block with its transactions. */
  readonly seeks?: SoughtInBody
  readonly keeps?: Call['keeps']
}

/** The answer to a batch: its limit is the sum of its calls' limits, up to that of the largest answer. */
export function expectedAnswer(requests: readonly { readonly id: number; readonly call: Call }[]): ExpectedAnswer {
  const sum = requests.reduce((bytes, { call }) => bytes + answerBytesMaxOf(call), 0)
  return {
    bytesMax: Math.min(answerLimits.largestBytes, sum),
    calls: requests.map(({ id, call }) => expectedMember(id, call)),
  }
}

export function expectedMember(id: number, { method, seeks, keeps }: Call): ExpectedMember {
  return { id, method, ...(seeks && { seeks }), ...(keeps && { keeps }) }
}
