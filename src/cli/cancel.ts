// rescind cancel: one transaction by its id, or with --all everything pending of a relayer, as a bulk cancellation without a filter.
import type { Command } from 'commander'
import type { CancellationView, Client } from '../client/client.ts'
import { systemClock } from '../ops/clock.ts'
import { type Act, type Around, relayerCommand, wholeNumber } from './command.ts'
import { connect, connectToRelayer, type RelayerOptions, relayerOf } from './connect.ts'
import { createBulk } from './create-bulk.ts'
import { CommandError, type Exit, exits, usage } from './exits.ts'
import { pairs } from './format.ts'
import { undecidedIfStored } from './require-yes.ts'
import { exitOf, explain, verdictOn, verdictPairs } from './verdict.ts'

interface CancelOptions extends RelayerOptions {
  readonly wait?: number
  readonly all?: true
  readonly yes?: true
}

export function addCancel(program: Command, act: Act): void {
  relayerCommand(program, 'cancel', 'cancel a transaction, or everything pending, and print the verdict')
    .argument('[id]', 'id of the transaction')
    .option('--wait <seconds>', 'wait for the final verdict', wholeNumber('--wait', 1, 86_400))
    .option('--all', 'cancel everything pending of the relayer; after a preview and a question')
    .option('--yes', 'with --all: without the question')
    .action(act(cancel))
}

/** The service waits so long at most in one request. */
const waitSecondsMax = 60

async function cancel(around: Around, id: string | undefined, { all, ...options }: CancelOptions): Promise<Exit> {
  if (all) {
    if (id !== undefined) throw usage('an id and --all exclude each other')
    const { client } = await connect(around.life, options)
    return createBulk(around, { ...options, relayer: [await relayerOf(client, options)] })
  }
  if (id === undefined) throw usage('name a transaction by its id, or cancel everything pending with --all')
  if (options.yes) throw usage('--yes belongs to --all')
  const { client, relayer } = await connectToRelayer(around.life, options)
  const verdict = await cancelOne(around, client, { relayer, id, seconds: options.wait ?? 0 })
  around.terminal.show(options, verdict, () => pairs([['transaction', id], ...verdictPairs(verdict)]))
  const exit = exitOf(verdict)
  if (exit !== exits.done) around.terminal.say(`rescind: ${explain(verdict)}`)
  return exit
}

interface Canceling {
  readonly relayer: string
  readonly id: string
  /** How long to wait for the final verdict. */
  readonly seconds: number
}

async function cancelOne(
  { life, terminal }: Around,
  client: Client,
  { relayer, id, seconds }: Canceling,
): Promise<CancellationView> {
  const end = systemClock.elapsed() + seconds * 1000
  if (seconds > 0) terminal.progress(`waiting up to ${seconds} s for the verdict`)
  try {
    await client.cancel(relayer, id, seconds > 0 ? { waitSeconds: Math.min(seconds, waitSecondsMax) } : {})
  } catch (error) {
    throw undecidedIfStored(error, life.stop, 'run it again: canceling twice changes nothing')
  }
  try {
    for (;;) {
      const verdict = await verdictOn(client, relayer, id)
      if (!verdict) throw new CommandError(exits.undecided, 'undecided: the cancellation has no verdict')
      const leftMs = end - systemClock.elapsed()
      if (verdict.final || leftMs <= 0) return verdict
      terminal.progress(`${explain(verdict)}; waiting ${Math.ceil(leftMs / 1000)} s more`)
      await systemClock.sleep(Math.min(1_000, leftMs), life.stop)
    }
  } catch (error) {
    throw undecidedIfStored(error, life.stop, `the cancellation is stored; "rescind tx get ${id}" shows the verdict`)
  }
}
