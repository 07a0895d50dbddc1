// Reads blocks from one endpoint. No other file calls these methods, so no caller takes another block for the requested
// one.
import type { FinalityTag } from '../../domain/finality.ts'
import type { Head } from '../../domain/observation.ts'
import type { BlockNumber } from '../../domain/units.ts'
import { askAbout, type NodeReply } from './ask-about.ts'
import type { Call, SoughtInBody } from './call.ts'
import { type Mined, toHead, toHex, toMined } from './decode.ts'
import type { Endpoint } from './endpoint.ts'

export const blockMethod = 'eth_getBlockByNumber'

/** A block with its transactions. */
export interface Body {
  readonly head: Head
  readonly transactions: readonly Mined[]
}

export function readHeader(endpoint: Endpoint, number: BlockNumber): Promise<NodeReply<Head>> {
  return askAbout(endpoint, blockCall(toHex(number), false), toHead, (head) => head.number === number)
}

/** Of a large block, only the transactions that `seeks` names. */
export function readBody(endpoint: Endpoint, number: BlockNumber, seeks: SoughtInBody): Promise<NodeReply<Body>> {
  const call = { ...blockCall(toHex(number), true), seeks }
  return askAbout(endpoint, call, toBody, ({ head }) => head.number === number)
}

/** The node chooses the block. Only its place on the remembered chain proves it. */
export function readNamed(endpoint: Endpoint, name: 'latest' | FinalityTag): Promise<NodeReply<Head>> {
  return askAbout(endpoint, blockCall(name, false), toHead, () => true)
}

function toBody(value: unknown): Body | undefined {
  const head = toHead(value)
  const transactions = toMined(value)
  return head && transactions && { head, transactions }
}

function blockCall(place: string, isWhole: boolean): Call {
  return { method: blockMethod, params: [place, isWhole] }
}
