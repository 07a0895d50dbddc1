// Checks the gas of payloads whose clients name none against the estimates that the service had, where one node may lie about them.
import type { SendRequest } from '../../src/domain/submit.ts'
import { type SimTransaction, tagOf } from '../chain/transaction.ts'
import type { LieCall as Call } from '../lies/lie.ts'
import type { Instance } from '../process/instance.ts'

type Process = Pick<Instance, 'id'>

export interface EstimateChecks {
  /** An owner begins a step: it estimates anew. */
  reads(process: Process, address: string): void
  requested(process: Process, node: number, call: Call): void
  /** The honest estimate of the node, also where it answers another one. */
  estimated(call: Call, result: unknown): void
  heard(process: Process, node: number, call: Call, result: unknown): void
  signed(process: Process, name: string, transaction: SimTransaction, request: SendRequest): void
}

export interface EstimateWatch {
  fail(what: string): void
  nowMs(): number
  isHonest(node: number): boolean
  readonly isLimitCharged: boolean
  /** Three nodes are at hand, and no longer fail. */
  areThreeAtHand(): boolean
  /** A signature comes some steps after its decision. */
  readonly signsLate: boolean
}

/** The answers of one observation about one payload. */
interface Reading {
  readonly address: string
  readonly requested: Set<number>
  /** By node: honest figures. */
  readonly figures: Map<number, number>
  isOver: boolean
}

/** Two figures count as alike within a quarter, and the margin is a fifth. */
const mostPercent = 150
/** After ten minutes of silence one provider's figure counts. */
const silenceMs = 590_000

export function watchEstimates({
  fail,
  nowMs,
  isHonest,
  isLimitCharged,
  areThreeAtHand,
  signsLate,
}: EstimateWatch): EstimateChecks {
  /** By process and payload. */
  const readings = new Map<string, Reading>()
  /** By payload: the highest figure that was ever true at a node. */
  const highest = new Map<number, number>()
  /** By process: when it began to hear of one provider only. */
  const aloneSince = new Map<number, number>()
  /** Limits that were signed before: later bids keep them. */
  const known = new Set<string>()

  function payloadOf({ method, params: [form] }: Call): { tag: number; address: string } | undefined {
    if (method !== 'eth_estimateGas') return undefined
    const { from, to, data } = form as { readonly from: string; readonly to?: string; readonly data: `0x${string}` }
    const tag = tagOf({ data, to: to ?? null })
    return tag === undefined ? undefined : { tag, address: from.toLowerCase() }
  }

  return {
    reads({ id }, address) {
      for (const [key, reading] of readings) {
        if (key.startsWith(`${id} `) && reading.address === address) reading.isOver = true
      }
    },
    requested({ id }, node, call) {
      const payload = payloadOf(call)
      if (!payload) return
      const key = `${id} ${payload.tag}`
      const last = readings.get(key)
      const { requested, ...reading } =
        last && !last.isOver && !last.requested.has(node)
          ? last
          : {
              address: payload.address,
              requested: new Set<number>(),
              figures: new Map<number, number>(),
              isOver: false,
            }
      readings.set(key, { ...reading, requested: requested.add(node) })
    },
    estimated(call, result) {
      const payload = payloadOf(call)
      if (payload && typeof result === 'string')
        highest.set(payload.tag, Math.max(highest.get(payload.tag) ?? 0, Number(result)))
    },
    heard({ id }, node, call, result) {
      const payload = payloadOf(call)
      const reading = payload && readings.get(`${id} ${payload.tag}`)
      if (!reading?.requested.has(node) || typeof result !== 'string') return
      if (!isHonest(node)) return void aloneSince.set(id, aloneSince.get(id) ?? nowMs())
      aloneSince.delete(id)
      reading.figures.set(node, Number(result))
    },
    signed({ id }, name, { gasLimit, ...transaction }, request) {
      const tag = tagOf(transaction)
      const most = highest.get(tag ?? -1)
      if (tag === undefined || request.gasLimit !== undefined || most === undefined || signsLate) return
      const limit = `${tag} ${gasLimit}`
      if (known.has(limit)) return
      known.add(limit)
      const figures = [...(readings.get(`${id} ${tag}`)?.figures.values() ?? [])]
      const least = Math.min(...figures)
      if (figures.length > 0 && gasLimit < least)
        fail(`${name}: it may use ${gasLimit} gas, and ${least} were estimated`)
      const isAlone = figures.length === 0 && nowMs() - (aloneSince.get(id) ?? nowMs()) > silenceMs
      const isBound = figures.length > 1 || areThreeAtHand() || (isLimitCharged && !isAlone)
      if (isBound && gasLimit > Math.ceil((most * mostPercent) / 100))
        fail(`${name}: it may use ${gasLimit} gas, and at most ${most} were estimated by honest nodes: ${figures}`)
    },
  }
}
