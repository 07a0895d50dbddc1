// rescind tx replace: another payload for the nonce of a transaction that is not mined.
import type { Command } from 'commander'
import { type Act, type Around, relayerCommand } from './command.ts'
import { connectToRelayer, type RelayerOptions } from './connect.ts'
import { type Exit, exits } from './exits.ts'
import { type PayloadOptions, payloadOf, withPayload } from './payload-options.ts'

export function addReplaceTransaction(tx: Command, act: Act): void {
  const command = relayerCommand(tx, 'replace', 'give a transaction another payload, for the same nonce')
  withPayload(command.argument('<id>', 'id of the transaction')).action(act(replaceTransaction))
}

async function replaceTransaction(
  { life, terminal }: Around,
  id: string,
  options: RelayerOptions & PayloadOptions,
): Promise<Exit> {
  const input = payloadOf(options)
  const { client, relayer } = await connectToRelayer(life, options)
  const replaced = await client.replace(relayer, id, input)
  if (options.json) terminal.printJson(replaced)
  else {
    terminal.print(replaced.id)
    // Without a nonce no node has the earlier payload.
    const race = replaced.nonce === undefined ? '' : '; the earlier payload may still be mined until this one is'
    terminal.say(`stored${race}: "rescind tx watch ${id} -r ${relayer}"`)
  }
  return exits.done
}
