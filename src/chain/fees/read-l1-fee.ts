// Reads what a rollup charges beside gas for data on L1: the fee of a no-op once a block, or each 2 s where blocks are shorter, and how much
// more further bytes cost once in a while. Both follow L1's prices together.
import type { Address } from '../../domain/ids.ts'
import { noOpBytes } from '../../domain/l1-fee.ts'
import { isKept, type Moment, type Patience } from '../../domain/patience.ts'
import type { Wei } from '../../domain/units.ts'
import type { TrackedHead } from '../heads/track-head.ts'
import type { Call } from '../nodes/call.ts'
import { toBigInt } from '../nodes/decode.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import { firstValue, readOnceAHead } from './first-value.ts'

interface L1FeeFacts {
  readonly noOpL1Fee: Wei
  readonly l1FeePerByte: Wei
}

/** A predeploy of the OP stack (specs, "GasPriceOracle"). */
const opStackOracle = '0x420000000000000000000000000000000000000F'

/** How long the proportion of two sizes stands, and the choice between the two functions. */
const lineKept: Patience = { blocks: 20, ms: 40_000 }
/** How long the fee of a no-op stands: L1's prices change with its blocks, each 12 s. */
const feeKept: Patience = { blocks: 1, ms: 2_000 }
/** The margin above the price of a byte, in percent: L1's base fee can rise by half within four of its blocks (EIP-1559). */
const marginPercent = 50n

/** The bytes of two calls, whose difference gives the price of a byte. */
interface Functions {
  readonly call: (bytes: number) => string
  readonly largeBytes: number
}

/**
 * `getL1FeeUpperBound(uint256)` takes the size without the signature, which the contract adds. Its result is a straight
 * line above a minimum. The largest size is that of pools, so no transaction costs more than the line between the two.
 */
const upperBound: Functions = { call: (bytes) => `0xf1c7a58b${word(bytes)}`, largeBytes: 131_072 }
/**
 * `getL1Fee(bytes)`, for chains without the other. Bytes that are not 0 cost the most. Its result is a straight line:
 * OP stack before Fjord; Scroll since Curie.
 */
const fee: Functions = {
  call: (bytes) => `0x49948e0e${word(32)}${word(bytes)}${'ff'.repeat(bytes).padEnd(Math.ceil(bytes / 32) * 64, '0')}`,
  largeBytes: 1_110,
}

/** Undefined where no node returns the fee. */
export function readingL1Fee(
  endpoints: Endpoints,
  elapsed: () => number,
  oracle: Address | typeof opStackOracle = opStackOracle,
) {
  const onceAHead = readOnceAHead<L1FeeFacts>()
  let last: { readonly facts: L1FeeFacts; readonly readAt: Moment } | undefined
  let known:
    | { readonly functions: Functions; readonly small: Wei; readonly large: Wei; readonly readAt: Moment }
    | undefined

  function ask(at: TrackedHead, { call }: Functions, bytes: number): Promise<Wei | undefined> {
    const params = [{ to: oracle, data: call(bytes) }, 'latest']
    const request: Call = { method: 'eth_call', params, shapedBy: 'service' }
    return firstValue(endpoints, at, request, toBigInt)
  }

  async function read(at: TrackedHead): Promise<L1FeeFacts | undefined> {
    const now = { block: at.head.number, ms: elapsed() }
    if (last && isKept(feeKept, last.readAt, now)) return last.facts
    const facts = await readNow(at, now)
    last = facts && { facts, readAt: now }
    return facts
  }

  async function readNow(at: TrackedHead, now: Moment): Promise<L1FeeFacts | undefined> {
    // A read for another head may replace it meanwhile.
    const kept = known
    if (kept && isKept(lineKept, kept.readAt, now)) {
      const noOpL1Fee = await ask(at, kept.functions, noOpBytes)
      if (noOpL1Fee !== undefined) return { noOpL1Fee, l1FeePerByte: perByteOf(noOpL1Fee, kept) }
      known = undefined
    }
    for (const functions of [upperBound, fee]) {
      const [small, large] = await Promise.all([
        ask(at, functions, noOpBytes),
        ask(at, functions, functions.largeBytes),
      ])
      if (small === undefined || large === undefined || large < small) continue
      const line = { functions, small, large, readAt: now }
      known = line
      return { noOpL1Fee: small, l1FeePerByte: perByteOf(small, line) }
    }
    return undefined
  }

  return (at: TrackedHead) => onceAHead(at.head.hash, () => read(at))
}

/** The fee per byte, rounded up. Without a fee for a no-op the proportion is unknown: then the difference itself counts. */
function perByteOf(
  noOpL1Fee: Wei,
  { functions, small, large }: { readonly functions: Functions; readonly small: Wei; readonly large: Wei },
): Wei {
  const [now, then] = small === 0n ? [1n, 1n] : [noOpL1Fee, small]
  const further = BigInt(functions.largeBytes - noOpBytes) * then * 100n
  return ((large - small) * now * (100n + marginPercent) + further - 1n) / further
}

function word(number: number): string {
  return number.toString(16).padStart(64, '0')
}
