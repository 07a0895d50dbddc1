// Reads what reverted transactions returned, and withholds their inclusions for so long: the reason of a failure is recorded once. No
// observation waits, and a node that answers late costs a transaction some seconds and no other anything.
import type { Hash } from '../../domain/ids.ts'
import type { Inquiry } from '../../domain/observation.ts'
import type { ErrorFragment, RevertData } from '../../domain/revert-data.ts'
import { cutRevertText } from '../../domain/stored-text.ts'
import { type Inclusion, spenderKind } from '../../domain/transaction.ts'
import type { Nonce } from '../../domain/units.ts'
import type { Clock } from '../../ops/clock.ts'
import { runFew } from '../../ops/run-few.ts'
import { late, within } from '../../ops/within.ts'
import type { Endpoint } from '../nodes/endpoint.ts'
import type { Endpoints } from '../nodes/endpoints.ts'
import { revertText } from '../nodes/revert-reason.ts'
import { decodeRevert, headOf } from './decode-revert.ts'
import { type ReadRevert, type RevertQuestion, readByCalls, readTrace } from './read-revert-data.ts'

/** The time from the reading of the receipt until the inclusion counts without the data. */
const revertAwaitedMs = 10_000
/** Reads of a network at the same time. A trace may keep a node busy for seconds. */
const readsMax = 2
const endpointsMax = 3
/** Limit and time for which results are remembered: a step that fails is repeated. */
const keptMax = 512
const keptMs = 60_000

interface Read {
  readonly since: number
  /** `none`: no node showed one in time. */
  state: 'under way' | 'none' | RevertData
}

interface Awaited {
  /** The inclusions without those whose data is under way. */
  readonly inclusions: ReadonlyMap<Nonce, Inclusion>
  /** The data by the hash of the transaction. */
  readonly reverts: ReadonlyMap<Hash, RevertData>
}

interface AwaitReverts {
  readonly endpoints: Pick<Endpoints, 'order'>
  /** The hosts by the index of the endpoint. */
  readonly hosts: readonly string[]
  readonly clock: Clock
}

/** `changed`: called when the data has come, or will not come any more. */
export type WithReverts = (
  inclusions: ReadonlyMap<Nonce, Inclusion>,
  wanted: Inquiry['reverts'],
  by: Endpoint,
  changed?: () => void,
) => Awaited

export function awaitingReverts({ endpoints, hosts, clock }: AwaitReverts): WithReverts {
  const reads = new Map<string, Read>()
  const few = runFew(readsMax)

  function begin(key: string, read: Read, find: () => Promise<RevertData | undefined>, changed: () => void): void {
    reads.set(key, read)
    void within(clock, revertAwaitedMs, (signal) => few(() => (signal.aborted ? undefined : find()))).then((found) => {
      read.state = found === late ? 'none' : (found ?? 'none')
      changed()
    })
  }

  function forgetOld(): void {
    const before = clock.elapsed() - keptMs
    for (const [key, { since }] of reads) if (since < before) reads.delete(key)
  }

  return (inclusions, wanted, by, changed = () => undefined) => {
    if (!wanted) return { inclusions, reverts: new Map() }
    forgetOld()
    const [shown, found] = [new Map<Nonce, Inclusion>(), new Map<Hash, RevertData>()]
    for (const [nonce, inclusion] of inclusions) {
      const question = isReverted(inclusion) && { hash: inclusion.hash, block: inclusion.block }
      const key = `${inclusion.hash}:${inclusion.block.hash}`
      if (question && !reads.has(key) && reads.size < keptMax) {
        const find = async () => {
          const read = await readFrom(endpoints.order(by), question)
          return read && dataOf(read, question, hosts, wanted.abi)
        }
        begin(key, { since: clock.elapsed(), state: 'under way' }, find, changed)
      }
      const state = question ? (reads.get(key)?.state ?? 'none') : 'none'
      if (state === 'under way') continue
      if (state !== 'none') found.set(inclusion.hash, state)
      shown.set(nonce, state === 'none' ? inclusion : withReason(inclusion, state))
    }
    return { inclusions: shown, reverts: found }
  }
}

function isReverted(inclusion: Inclusion): boolean {
  return inclusion.by !== 'external' && inclusion.succeeded === false && spenderKind(inclusion) === 'payload'
}

type ReadBy = ReadRevert & { readonly endpoint: number }

/** A trace is exact, so each endpoint is called for one before any is for less. */
async function readFrom(endpoints: readonly Endpoint[], question: RevertQuestion): Promise<ReadBy | undefined> {
  for (const read of [readTrace, readByCalls]) {
    for (const endpoint of endpoints.slice(0, endpointsMax)) {
      if ((await endpoint.ready()) !== undefined) continue
      const found = await read(endpoint, question)
      if (found) return { ...found, endpoint: endpoint.index }
    }
  }
  return undefined
}

function dataOf(
  { data, isCut, source, endpoint }: ReadBy,
  { hash, block }: RevertQuestion,
  hosts: readonly string[],
  abi: readonly ErrorFragment[],
): RevertData {
  const decoded = decodeRevert(data, abi)
  const host = hosts[endpoint] ?? ''
  return { hash, block, data, isCut, source, endpoint, host, ...(decoded && { decoded }) }
}

/** The inclusion with the reason that the data holds. Without data, the words of the receipt's node stay. */
function withReason(inclusion: Inclusion, { data, decoded }: RevertData): Inclusion {
  const text = decoded && !isStandard(decoded.error) ? headOf(decoded) : revertText(data)
  return text === undefined || inclusion.by === 'external'
    ? inclusion
    : { ...inclusion, revertReason: cutRevertText(text) }
}

function isStandard(error: string): boolean {
  return error === 'Error' || error === 'Panic'
}
