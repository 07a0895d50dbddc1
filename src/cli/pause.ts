// rescind pause and resume: whether a relayer, or each relayer of a network, takes and sends transactions.
import type { Command } from 'commander'
import { type Act, type Around, relayerCommand } from './command.ts'
import { connect, connectToRelayer, type RelayerOptions, readAll } from './connect.ts'
import { type Exit, exits, usage } from './exits.ts'
import { counted } from './format.ts'
import { plain } from './terminal.ts'

interface Options extends RelayerOptions {
  readonly network?: string
  readonly note?: string
}

export function addPause(program: Command, act: Act): void {
  const network = ['--network <name>', 'the network with all of its relayers, by a mark of its own'] as const
  relayerCommand(
    program,
    'pause',
    'let a relayer, or a network, take no sends and bind no nonces; transactions in flight go on',
  )
    .option(...network)
    .option('--note <text>', 'the reason, shown beside the mark of the network')
    .action(act((around: Around, options: Options) => setPaused(around, options, true)))
  relayerCommand(program, 'resume', 'let a paused relayer, or network, send again')
    .option(...network)
    .action(act((around: Around, options: Options) => setPaused(around, options, false)))
}

async function setPaused(around: Around, options: Options, paused: boolean): Promise<Exit> {
  const { life, terminal } = around
  if (options.network !== undefined) return setNetworkPaused(around, options, options.network, paused)
  if (options.note !== undefined) throw usage('--note goes with --network: the pause of a relayer has no note')
  const { client, relayer } = await connectToRelayer(life, options)
  const changed = await client.updateRelayer(relayer, { paused })
  const resumed = changed.network_paused ? 'stays paused with its network' : 'sends again'
  terminal.show(options, changed, () => [`${relayer} ${paused ? 'is paused' : resumed}`])
  return exits.done
}

async function setNetworkPaused(
  { life, terminal }: Around,
  options: Options,
  name: string,
  paused: boolean,
): Promise<Exit> {
  if (options.relayer !== undefined) throw usage('give --network or --relayer, not both')
  const { client } = await connect(life, options)
  const id = name.startsWith('evm:') ? name : `evm:${name}`
  const { note } = options
  const network = paused
    ? await client.pauseNetwork(id, { ...(note !== undefined && { note }) })
    : await client.resumeNetwork(id)
  if (options.json) {
    terminal.printJson(network)
    return exits.done
  }
  const relayers = (await readAll(client.relayers, 1_000)).filter((relayer) => relayer.network === network.name)
  const own = relayers.filter((relayer) => relayer.paused).map((relayer) => relayer.id)
  const state = paused ? 'is paused' : 'is not paused any more'
  terminal.print(plain(`${network.name} ${state}, with ${counted(relayers.length, 'relayer')}`))
  if (!paused && own.length > 0) terminal.say(plain(`rescind: still paused themselves: ${own.join(', ')}`))
  return exits.done
}
