// rescind send: stores one transaction, at most once, whatever happens to the connection.

import type { Command } from 'commander'
import type { Client, SendInput, TransactionView } from '../client/client.ts'
import { defined } from '../domain/defined.ts'
import { systemClock } from '../ops/clock.ts'
import { freshId, systemRandom } from '../ops/random.ts'
import { type Act, type Around, relayerCommand, wholeNumber } from './command.ts'
import { connectToRelayer, type RelayerOptions } from './connect.ts'
import { type Exit, exits } from './exits.ts'
import { type PayloadOptions, payloadOf, withPayload } from './payload-options.ts'
import { repeatUnderKey } from './repeat-under-key.ts'
import { plain } from './terminal.ts'
import { untilEnded } from './watch-transaction.ts'

interface Options extends RelayerOptions, PayloadOptions {
  readonly idempotencyKey?: string
  readonly wait?: number
  readonly externalId?: string
  readonly tag?: readonly string[]
  readonly note?: string
}

export function addSend(program: Command, act: Act): void {
  withPayload(relayerCommand(program, 'send', 'send a transaction, and print its id'))
    .option('--idempotency-key <key>', 'send at most once under this key (default: a new one)')
    .option('--external-id <id>', 'a name of your own: at most one open or executed transaction of the relayer has it')
    .option('--tag <tag>', 'a tag, by which lists find it; may be repeated', (tag, tags: string[] = []) => [
      ...tags,
      tag,
    ])
    .option('--note <text>', 'a note for people')
    .option('--wait <seconds>', 'wait until it is confirmed, or has ended otherwise', wholeNumber('--wait', 1, 86_400))
    .action(act(send))
}

async function send({ life, terminal }: Around, options: Options): Promise<Exit> {
  const input = { ...payloadOf(options), ...labelsOf(options) }
  const { client, relayer } = await connectToRelayer(life, options)
  const key = options.idempotencyKey ?? freshId<string>(systemRandom(), systemClock.now())
  const sent = await sendOnce(client, relayer, input, key, life.stop)
  const { id } = sent
  if (options.wait === undefined) {
    if (options.json) terminal.printJson(sent)
    else {
      terminal.print(id)
      terminal.say(`stored; "rescind tx watch ${id} -r ${relayer}" follows it`)
    }
    return exits.done
  }
  // The id comes first: the wait may fail.
  if (!options.json) terminal.print(id)
  const exit = await untilEnded(client, { relayer, id, seconds: options.wait }, ({ status, status_reason: reason }) =>
    terminal.say(`${status}${reason === undefined ? '' : `: ${plain(reason)}`}`),
  )
  if (options.json) terminal.printJson(await client.transaction(relayer, id))
  return exit
}

function labelsOf({ externalId, tag, note }: Options): Pick<SendInput, 'external_id' | 'tags' | 'note'> {
  return {
    ...defined({ external_id: externalId, tags: tag, note }),
  }
}

function sendOnce(
  client: Client,
  relayer: string,
  input: SendInput,
  key: string,
  stop: AbortSignal,
): Promise<TransactionView> {
  const remedy = `run it again with --idempotency-key ${key}, which sends at most once`
  const request = (idempotencyKey: string) => client.send(relayer, input, { idempotencyKey })
  return repeatUnderKey({ key, request, remedy }, stop)
}
