// The verdicts after canceling all: while no-ops race, and once every verdict is final.
import type { TraceView } from '../../client/dashboard-types.ts'
import type { TransactionView } from '../../client/transaction-types.ts'
import { type Tone, verdictWords } from '../../words/verdict.ts'
import { begun, grouped, plural } from '../state/format.ts'
import { type Loaded, useLoad, useRead } from '../state/load.ts'
import { networkOf } from '../state/networks.ts'
import { pathOf, type Reply, type RequestOptions, request } from '../state/request.ts'
import { Ether } from './exact.tsx'
import { NonceLane } from './lane.tsx'
import { Badge, Heading, Shown } from './pieces.tsx'
import { Targets, targetsMax } from './targets.tsx'

export interface Done {
  readonly canceled: readonly string[]
  readonly failed: number
  /** What the service answered, for people. */
  readonly sentences: readonly string[]
  /** A nonce below all of them. */
  readonly from: number | undefined
}

/** The ones with a nonce are on the lane; all the others ended in the commit of the request. */
export function Verdicts({ id, network, done }: { id: string; network: string | undefined; done: Done }) {
  const nonces = useNoncesFrom(id, done.from)
  const wanted = new Set(done.canceled)
  const traces = nonces.answer?.data.filter(({ transaction }) => wanted.has(transaction.id))
  return (
    <>
      <Heading>{headline(done, traces)}</Heading>
      {done.failed > 0 && <p class="notice bad">{plural(done.failed, 'transaction')} could not be canceled.</p>}
      <Shown loaded={nonces} what="the verdicts">
        {() =>
          traces && (
            <>
              <Tally total={done.canceled.length} traces={traces} network={network} />
              {traces.length > 0 && <NonceLane relayer={id} traces={traces} />}
              <Free id={id} network={network} wanted={wanted} traces={traces} />
            </>
          )
        }
      </Shown>
      <details>
        <summary>What the service answered to the request</summary>
        {done.sentences.map((sentence) => (
          <p key={sentence} class="reason">
            {sentence}
          </p>
        ))}
      </details>
      <p class="back">
        <a class="button" href={pathOf`/relayers/${id}`}>
          Back to {id}
        </a>
      </p>
    </>
  )
}

/** Says "canceled" only where the chain can't undo it. */
function headline({ canceled }: Done, traces: readonly TraceView[] | undefined): string {
  const all = plural(canceled.length, 'transaction')
  if (!traces || openIn(traces) > 0) return `Canceling ${all}`
  const missed = traces.filter(({ cancellation }) => cancellation?.state !== 'won' && cancellation?.state !== 'dropped')
  return missed.length === 0 ? `${all} canceled` : `${grouped(canceled.length - missed.length)} of ${all} canceled`
}

function openIn(traces: readonly TraceView[]): number {
  return traces.filter(({ cancellation }) => !cancellation?.final).length
}

interface Group {
  readonly tone: Tone
  readonly sentence: string
  count: number
}

function groupsOf(free: number, traces: readonly TraceView[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>()
  const add = (verdict: Parameters<typeof verdictWords>[0], count: number) => {
    const [tone, word, sentence] = verdictWords(verdict)
    groups.set(word, { tone, sentence, count: (groups.get(word)?.count ?? 0) + count })
  }
  for (const { cancellation } of traces) if (cancellation) add(cancellation, 1)
  if (free > 0) add({ state: 'dropped', final: true }, free)
  return groups
}

function Tally({
  total,
  traces,
  network,
}: {
  total: number
  traces: readonly TraceView[]
  network: string | undefined
}) {
  const open = openIn(traces)
  const free = total - traces.length
  const safe = free + traces.filter(({ cancellation }) => cancellation?.safe_to_retry).length
  return (
    <div class="tally" role="status">
      <p class="lead">
        {open === 0
          ? 'Every verdict is final.'
          : `${grouped(total - open)} of ${plural(total, 'verdict')} are final. Each of the others follows once its block is final.`}
      </p>
      <ul>
        {[...groupsOf(free, traces)].map(([word, { tone, sentence, count }]) => (
          <li key={word}>
            <strong class="number">{grouped(count)}</strong> <Badge tone={tone}>{word}</Badge>{' '}
            <span>{begun(sentence)}.</span>
          </li>
        ))}
      </ul>
      <p>{retryWords(safe, total, open)}</p>
      <Paid traces={traces} network={network} />
    </div>
  )
}

function retryWords(safe: number, total: number, open: number): string {
  if (safe === total) return `The payloads of all ${grouped(total)} may be sent again: none of them can execute.`
  const rest = total - safe
  const why =
    open === 0
      ? 'may have executed, or still may: sending them again could execute them twice.'
      : 'may still execute, or did: wait for their verdicts before you send them again.'
  return `${grouped(safe)} of ${grouped(total)} payloads may be sent again. The other ${grouped(rest)} ${why}`
}

function Paid({ traces, network }: { traces: readonly TraceView[]; network: string | undefined }) {
  const { symbol } = networkOf(network)
  const won = traces.filter(({ cancellation }) => cancellation?.state === 'won')
  const unpriced = won.filter(({ cancellation }) => cancellation?.cost === undefined).length
  const sum = won.reduce((wei, { cancellation }) => wei + BigInt(cancellation?.cost ?? 0), 0n)
  const isOver = openIn(traces) === 0
  if (won.length === 0) {
    return <p>{isOver ? 'No no-op was mined: the cancellation cost nothing.' : 'No no-op is mined yet.'}</p>
  }
  return (
    <p>
      The mined no-ops cost{' '}
      <strong>
        <Ether wei={sum} symbol={symbol} />
      </strong>
      {!isOver && ' so far'}
      {unpriced > 0 && `, without ${grouped(unpriced)} whose cost no node reported`}.
    </p>
  )
}

/** Those without a nonce ended in the commit: one reading shows them. */
function Free({
  id,
  network,
  wanted,
  traces,
}: {
  id: string
  network: string | undefined
  wanted: ReadonlySet<string>
  traces: readonly TraceView[]
}) {
  const { symbol } = networkOf(network)
  const total = wanted.size - traces.length
  const path = `${pathOf`/v1/relayers/${id}/transactions`}?status=canceled&per_page=${2 * targetsMax}`
  const { answer } = useLoad<readonly TransactionView[]>(total > 0 ? path : undefined, false)
  const bound = new Set(traces.map(({ transaction }) => transaction.id))
  const free = (answer?.data ?? []).filter((each) => wanted.has(each.id) && !bound.has(each.id))
  if (free.length === 0) return null
  return (
    <section aria-labelledby="free">
      <h2 id="free">Canceled at no cost, newest first</h2>
      <Targets
        caption="Transactions canceled at no cost"
        unbound="no nonce"
        transactions={free}
        total={total}
        symbol={symbol}
      />
    </section>
  )
}

/** The size of the API's pages. One with fewer is the last. */
const pageSize = 100

/** All nonces of a relayer from `from` on, page by page; without `from`, from a few before the lowest open one. */
function useNoncesFrom(relayer: string, from: number | undefined): Loaded<readonly TraceView[]> {
  const path = pathOf`/v1/relayers/${relayer}/nonces`
  return useRead(from === undefined ? path : `${path}?from=${from}`, (first, options) => readOn(path, first, options))
}

async function readOn(path: string, first: string, options: RequestOptions): Promise<Reply<readonly TraceView[]>> {
  const all: TraceView[] = []
  let next = first
  for (;;) {
    const reply = await request<readonly TraceView[]>(next, options)
    all.push(...reply.data)
    const last = reply.data.at(-1)?.transaction.nonce
    if (reply.data.length < pageSize || last === undefined) return { ...reply, data: all }
    next = `${path}?from=${last + 1}`
  }
}
