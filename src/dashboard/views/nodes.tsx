// The endpoints of each network as the replicas see them: a panel a network, all of one request.
import type { NetworkNodesView } from '../../client/record-types.ts'
import type { Tone } from '../../words/verdict.ts'
import { Age, Badge, Empty, Heading, Runbook, Shown } from '../parts/pieces.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { begun, exactTime, grouped, plural, shortened } from '../state/format.ts'
import { useLoad } from '../state/load.ts'
import { pathOf } from '../state/request.ts'

type Replica = NetworkNodesView['replicas'][number]
type Node = Replica['nodes'][number]

const perPage = 100

export function Nodes() {
  const loaded = useLoad<readonly NetworkNodesView[]>(`/v1/nodes?per_page=${perPage}`)
  return (
    <>
      <Heading>Nodes</Heading>
      <p class="reason">
        The endpoints of each network. Each replica of the service finds their state by its own calls, and writes it
        every ten seconds.
      </p>
      <Shown loaded={loaded} what="the nodes">
        {(networks, total) => (
          <>
            {networks.length === 0 && <Empty title="No network is configured" />}
            {sorted(networks.filter(isUsed)).map((nodes) => (
              <Network key={`${nodes.network} ${nodes.relayer_id ?? ''}`} nodes={nodes} />
            ))}
            <Unused networks={networks.filter((nodes) => !isUsed(nodes))} />
            {total > networks.length && (
              <p class="note">
                The first {networks.length} of {grouped(total)} networks are shown.
              </p>
            )}
          </>
        )}
      </Shown>
    </>
  )
}

const order: readonly NetworkNodesView['state'][] = ['down', 'degraded', 'unreported', 'ok']

/** Those that need somebody first. */
function sorted(networks: readonly NetworkNodesView[]): readonly NetworkNodesView[] {
  const rank = ({ state }: NetworkNodesView) => order.indexOf(state)
  return [...networks].sort((one, other) => rank(one) - rank(other) || one.network.localeCompare(other.network))
}

function isUsed({ replicas }: NetworkNodesView): boolean {
  return replicas.length > 0
}

const networkWords: Readonly<Record<NetworkNodesView['state'], readonly [Tone, string]>> = {
  ok: ['good', 'All answer'],
  degraded: ['warn', 'Degraded'],
  down: ['bad', 'None answers'],
  unreported: ['quiet', 'Not reported now'],
}

function Network({ nodes }: { nodes: NetworkNodesView }) {
  const { network, chain_id: chainId, relayer_id: relayer, state, replicas } = nodes
  const [tone, word] = networkWords[state]
  return (
    <section aria-label={relayer === undefined ? network : `${network}, ${relayer}`}>
      <div class="heading">
        <h2>
          {network}{' '}
          <small>
            chain {chainId}
            {relayer !== undefined && (
              <>
                , the endpoints of <a href={pathOf`/relayers/${relayer}`}>{relayer}</a>
              </>
            )}
          </small>
        </h2>
        <Badge tone={tone}>{word}</Badge>
      </div>
      {replicas.map((replica) => (
        <ReplicaView key={replica.replica} replica={replica} network={network} />
      ))}
    </section>
  )
}

function ReplicaView({ replica, network }: { replica: Replica; network: string }) {
  const { replica: id, read_at: readAt, stale, nodes } = replica
  const name = id === 'single' ? 'The service' : `Replica ${shortened(id)}`
  return (
    <>
      <p class="note">
        <span title={id}>{name}</span>, <Age at={readAt} /> ago
        {stale && (
          <>
            {' '}
            <Badge tone="warn">It has stopped, or can’t write</Badge>
          </>
        )}
      </p>
      <Table
        name="cards"
        caption={`Endpoints of ${network}, seen by ${name.toLowerCase()}`}
        rows={nodes}
        keyOf={({ endpoint }) => endpoint}
        columns={columns}
      />
    </>
  )
}

const nodeWords: Readonly<Record<Node['state'], readonly [Tone, string]>> = {
  ok: ['good', 'In use'],
  unverified: ['quiet', 'Not called yet'],
  impaired: ['warn', 'At rest'],
  distrusted: ['bad', 'Distrusted'],
}

const conditionWords: Readonly<Record<Node['conditions'][number]['condition'], string>> = {
  wrong_chain: 'Another chain',
  branches_differ: 'Branches differ',
  outvoted: 'Outvoted',
  strayed: 'Strays',
  no_answer: 'No answer',
  lagging: 'Lags behind',
  unverified: 'Not called yet',
}

const columns: readonly [Column<Node>, ...Column<Node>[]] = [
  {
    title: 'Endpoint',
    of: ({ host, endpoint }) => (
      <>
        {host}
        <small>endpoint {endpoint}</small>
      </>
    ),
  },
  {
    title: 'State',
    kind: 'why',
    of: (node) => (
      <div>
        <State node={node} />
      </div>
    ),
  },
  { title: 'Head', kind: 'number', of: ({ head }) => (head ? <Head head={head} /> : '—') },
  {
    title: 'Median / p95',
    kind: 'number',
    of: ({ latency }) =>
      latency ? (
        <span
          title={`Half, and 19 of 20, of the last ${latency.calls === undefined ? 'answers' : plural(latency.calls, 'answer')}`}
        >
          {grouped(latency.p50_ms)} / {grouped(latency.p95_ms)} ms
        </span>
      ) : (
        '—'
      ),
  },
  { title: 'Calls', kind: 'number', of: ({ calls }) => (calls ? <Calls calls={calls} /> : '—') },
  {
    title: 'Client',
    of: ({ client, chain_id: chainId }) => (
      <>
        {client ?? '—'}
        {chainId !== undefined && <small>chain {chainId}</small>}
      </>
    ),
  },
]

function Calls({ calls }: { calls: NonNullable<Node['calls']> }) {
  const failed = calls.unanswered + calls.unsent
  return (
    <>
      <span title={`Since ${exactTime(calls.since)}`}>{grouped(calls.total)}</span>
      {failed > 0 && <small>{grouped(failed)} without an answer</small>}
      {calls.rpc_errors > 0 && <small>{plural(calls.rpc_errors, 'error')}</small>}
    </>
  )
}

function Head({ head: { number, behind, read_at: readAt } }: { head: NonNullable<Node['head']> }) {
  return (
    <>
      {grouped(number)}
      <small>
        {behind > 0 && `${plural(behind, 'block')} behind, `}
        read <Age at={readAt} /> ago
      </small>
    </>
  )
}

function State({ node: { state, conditions, last_failure: failure } }: { node: Node }) {
  const [tone, word] = nodeWords[state]
  if (conditions.length === 0) return <Badge tone={tone}>{word}</Badge>
  return (
    <>
      {conditions.map(({ condition, text, facts, runbook }) => (
        <div key={condition}>
          <Badge tone={tone}>{conditionWords[condition]}</Badge>
          <p class="why">
            {begun(text)}.
            {condition === 'no_answer' && failure?.text !== undefined && (
              <>
                {' '}
                {failure.text} (<code>{failure.method}</code>, <Age at={failure.at} /> ago).
              </>
            )}
            {facts.rests_until !== undefined && <span title={exactTime(facts.rests_until)}> Tried again soon.</span>}{' '}
            {condition !== 'unverified' && <Runbook wait={{ runbook }} />}
          </p>
        </div>
      ))}
    </>
  )
}

/** One line each: a configuration may name many networks that no relayer uses. */
function Unused({ networks }: { networks: readonly NetworkNodesView[] }) {
  if (networks.length === 0) return null
  return (
    <section aria-label="Networks that no replica uses">
      <h2>
        Not in use <small>no replica that runs advances a relayer of these networks</small>
      </h2>
      <ul class="plain">
        {networks.map(({ network, endpoints }) => (
          <li key={network}>
            <strong>{network}</strong>: {endpoints.map(({ host }) => host).join(', ')}
          </li>
        ))}
      </ul>
    </section>
  )
}
