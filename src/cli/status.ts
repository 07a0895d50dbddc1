// rescind status: whether the service is ready, and each relayer's account and queue.
import type { Command } from 'commander'
import { ApiError, type Client, type RelayerStatusView, type RelayerView } from '../client/client.ts'
import { type Act, type Around, relayerCommand } from './command.ts'
import { connect, type RelayerOptions } from './connect.ts'
import { type Exit, exits } from './exits.ts'
import { ether, table } from './format.ts'

interface Options extends RelayerOptions {
  readonly json?: true
}

/** `status` is absent if no node of the relayer answers. */
interface Standing {
  readonly relayer: RelayerView
  readonly status?: RelayerStatusView
}

export function addStatus(program: Command, act: Act): void {
  relayerCommand(program, 'status', 'show whether the service is ready, and its relayers').action(act(showStatus))
}

async function showStatus({ life, terminal }: Around, options: Options): Promise<Exit> {
  const { url, client } = await connect(life, options)
  const { version } = await client.readiness()
  const relayers = options.relayer === undefined ? await allRelayers(client) : [await client.relayer(options.relayer)]
  const standings: Standing[] = []
  for (const [index, relayer] of relayers.entries()) {
    terminal.progress(`reading relayer ${index + 1} of ${relayers.length}`)
    standings.push(await standingOf(client, relayer))
  }
  const silent = standings.filter(({ status }) => !status).map(({ relayer }) => relayer.id)
  if (options.json) {
    terminal.printJson({
      url,
      version,
      ready: true,
      relayers: standings.map((each) => ({ ...each.relayer, ...(each.status && { account: each.status }) })),
    })
  } else {
    terminal.say(`rescind ${version} at ${url} is ready`)
    for (const line of table(
      ['RELAYER', 'NETWORK', 'ADDRESS', 'BALANCE', 'NONCE', 'PENDING', 'PAUSED'],
      standings.map(row),
    )) {
      terminal.print(line)
    }
  }
  if (silent.length === 0) return exits.done
  terminal.say(`rescind: no node answers for ${silent.join(', ')}`)
  return exits.error
}

function row({ relayer: { id, network, address, paused }, status }: Standing) {
  const { balance, nonce, pending_transactions_count: pending } = status ?? {}
  return [
    id,
    network,
    address,
    balance === undefined ? undefined : ether(balance),
    nonce,
    pending,
    paused ? 'yes' : 'no',
  ]
}

async function allRelayers(client: Client): Promise<readonly RelayerView[]> {
  const perPage = 100
  const all: RelayerView[] = []
  for (let page = 1; ; page += 1) {
    const { items, total } = await client.relayers({ page, perPage })
    all.push(...items)
    if (items.length < perPage || all.length >= total) return all
  }
}

async function standingOf(client: Client, relayer: RelayerView): Promise<Standing> {
  try {
    return { relayer, status: await client.relayerStatus(relayer.id) }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NODE_UNAVAILABLE') return { relayer }
    throw error
  }
}
