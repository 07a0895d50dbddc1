// rescind pause and resume: whether a relayer takes and sends transactions.
import type { Command } from 'commander'
import { type Act, type Around, relayerCommand } from './command.ts'
import { connect, type RelayerOptions, relayerOf } from './connect.ts'
import { type Exit, exits } from './exits.ts'

interface Options extends RelayerOptions {
  readonly json?: true
}

export function addPause(program: Command, act: Act): void {
  relayerCommand(
    program,
    'pause',
    'let a relayer take no sends and bind no nonces; transactions in flight go on',
  ).action(act((around: Around, options: Options) => setPaused(around, options, true)))
  relayerCommand(program, 'resume', 'let a paused relayer send again').action(
    act((around: Around, options: Options) => setPaused(around, options, false)),
  )
}

async function setPaused({ life, terminal }: Around, options: Options, paused: boolean): Promise<Exit> {
  const { client } = await connect(life, options)
  const relayer = await relayerOf(client, options)
  const changed = await client.updateRelayer(relayer, { paused })
  if (options.json) terminal.printJson(changed)
  else terminal.print(`${relayer} ${paused ? 'is paused' : 'sends again'}`)
  return exits.done
}
