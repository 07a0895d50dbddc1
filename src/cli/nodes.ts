// rescind nodes: the endpoints of each network as the replicas see them. No node is called, so it answers in an outage, too.
import type { Command } from 'commander'
import type { Client, NetworkNodesView } from '../client/client.ts'
import { systemClock } from '../ops/clock.ts'
import { type Act, type Around, serviceCommand } from './command.ts'
import { connect, readAll, type ServiceOptions } from './connect.ts'
import { CommandError, type Exit, exits } from './exits.ts'
import { about, type Cell, runbookAt, table } from './format.ts'
import { type Color, plain, type Terminal } from './terminal.ts'

interface Options extends ServiceOptions {
  readonly network?: string
  readonly watch?: true
}

type Replica = NetworkNodesView['replicas'][number]
type Node = Replica['nodes'][number]

/** The interval at which replicas write. */
const refreshMs = 10_000

export function addNodes(program: Command, act: Act): void {
  serviceCommand(program, 'nodes', 'show the endpoints of each network as the service sees them')
    .option('--network <name>', 'only this network')
    .option('--watch', 'show it again every ten seconds, until it is interrupted')
    .action(act(showNodes))
}

async function showNodes({ life, terminal }: Around, options: Options): Promise<Exit> {
  const { url, client } = await connect(life, options)
  while (true) {
    const networks = await readNodes(client, options)
    if (options.watch && !options.json) terminal.clear()
    if (options.json && options.watch) terminal.print(JSON.stringify(networks))
    else if (options.json) terminal.printJson(networks)
    else for (const line of networks.flatMap((each) => linesOf(terminal, each, url))) terminal.print(line)
    const exit = networks.some(({ state }) => state === 'down') ? exits.stuck : exits.done
    if (!options.watch) return exit
    await systemClock.sleep(refreshMs, life.stop)
    if (life.stop.aborted) return exit
  }
}

async function readNodes(client: Client, { network }: Options): Promise<readonly NetworkNodesView[]> {
  const all = await readAll(client.nodes)
  if (network === undefined) return all
  const found = all.filter((each) => each.network === network)
  if (found.length > 0) return found
  const names = [...new Set(all.map((each) => each.network))].join(', ')
  throw new CommandError(exits.refused, `there is no network "${network}" that this key sees; there are: ${names}`)
}

const stateColors: Readonly<Partial<Record<NetworkNodesView['state'] | Node['state'], Color>>> = {
  down: 'red',
  degraded: 'yellow',
  unreported: 'gray',
  distrusted: 'red',
  impaired: 'yellow',
  unverified: 'gray',
}

function painted(terminal: Terminal, state: NetworkNodesView['state'] | Node['state'], line: string): string {
  const color = stateColors[state]
  return color === undefined ? line : terminal.paint(color, line)
}

/** A network's line, a table of each replica, and under it each condition with the address of its page. */
function linesOf(terminal: Terminal, nodes: NetworkNodesView, url: string): readonly string[] {
  const { network, chain_id: chainId, relayer_id: relayer, state, endpoints, replicas } = nodes
  const own = relayer === undefined ? '' : `, endpoints of relayer ${relayer}`
  const title = painted(terminal, state, plain(`${network} (chain ${chainId}${own}): ${state}`))
  if (replicas.length === 0) {
    const hosts = endpoints.map(({ endpoint, host }) => `${endpoint} ${host}`).join(', ')
    return [title, plain(`  no replica uses it; configured: ${hosts}`)]
  }
  return [title, ...replicas.flatMap((replica) => replicaLines(terminal, replica, replicas.length > 1, url))]
}

function replicaLines(terminal: Terminal, replica: Replica, isOneOfSeveral: boolean, url: string): readonly string[] {
  const head = ['ENDPOINT', 'HOST', 'STATE', 'HEAD', 'AGE', 'BEHIND', 'READ', 'P50/P95', 'CALLS', 'FAILED', 'CLIENT']
  const [titles = '', ...rows] = table(head, replica.nodes.map(row))
  const read = `read ${since(replica.read_at)} ago${replica.stale ? ': it has stopped, or can not write' : ''}`
  return [
    ...(isOneOfSeveral || replica.stale ? [plain(`  replica ${replica.replica}, ${read}`)] : []),
    `  ${titles}`,
    ...rows.map((line, index) => `  ${painted(terminal, replica.nodes[index]?.state ?? 'ok', line)}`),
    ...replica.nodes.flatMap((node) => conditionLines(node, url)),
  ]
}

function row({ endpoint, host, state, client, head, calls, latency }: Node): readonly Cell[] {
  const took = latency && `${latency.p50_ms}/${latency.p95_ms} ms`
  const read = head && `${since(head.read_at)} ago`
  const failed = calls && calls.unanswered + calls.unsent
  return [
    endpoint,
    host,
    state,
    head?.number,
    head && since(head.made_at),
    head?.behind,
    read,
    took,
    calls?.total,
    failed,
    client,
  ]
}

function conditionLines({ endpoint, host, conditions, last_failure: failure }: Node, url: string): readonly string[] {
  return conditions.flatMap(({ condition, text, runbook }) => {
    const isSilent = condition === 'no_answer' && failure !== undefined
    const words = isSilent ? `; the last one ${since(failure.at)} ago: ${failure.text ?? failure.kind}` : ''
    return [plain(`  ${endpoint} ${host}: ${condition}: ${text}${words}`), `    what to do: ${runbookAt(url, runbook)}`]
  })
}

function since(time: string): string {
  return about(systemClock.now() - Date.parse(time))
}
