// rescind send: stores one transaction, at most once, whatever happens to the connection.
import type { Command } from 'commander'
import { ApiError, type Client, NoAnswer, type SendInput, type TransactionView } from '../client/client.ts'
import { systemClock } from '../ops/clock.ts'
import { freshId } from '../ops/fresh-id.ts'
import { systemRandom } from '../ops/random.ts'
import { type Act, type Around, relayerCommand } from './command.ts'
import { connect, type RelayerOptions, relayerOf } from './connect.ts'
import { CommandError, type Exit, exits } from './exits.ts'
import { wholeNumber } from './options.ts'
import { type PayloadOptions, payloadOf, withPayload } from './payload-options.ts'
import { plain } from './terminal.ts'
import { untilEnded } from './watch-transaction.ts'

interface Options extends RelayerOptions, PayloadOptions {
  readonly json?: true
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
  const { client } = await connect(life, options)
  const relayer = await relayerOf(client, options)
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
    ...(externalId !== undefined && { external_id: externalId }),
    ...(tag && { tags: tag }),
    ...(note !== undefined && { note }),
  }
}

const triesMax = 4

/** The key makes every try the same request, so a try whose outcome is unknown is repeated. */
async function sendOnce(
  client: Client,
  relayer: string,
  input: SendInput,
  idempotencyKey: string,
  stop: AbortSignal,
): Promise<TransactionView> {
  for (let left = triesMax; ; left -= 1) {
    try {
      return await client.send(relayer, input, { idempotencyKey })
    } catch (error) {
      const isUnknown =
        error instanceof NoAnswer
          ? !error.isUnsent || left < triesMax
          : error instanceof ApiError && (error.status >= 500 || left < triesMax)
      if (!isUnknown && !stop.aborted) throw error
      if (left > 1 && !stop.aborted) {
        await systemClock.sleep(1_000, stop)
        continue
      }
      const again = `run it again with --idempotency-key ${idempotencyKey}, which sends at most once`
      const reason = error instanceof Error ? error.message : String(error)
      throw new CommandError(exits.undecided, `undecided: nobody can say whether it is stored (${reason}); ${again}`, {
        cause: error,
      })
    }
  }
}
