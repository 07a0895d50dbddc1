// rescind sweep: empties a relayer's account, after a question.
import type { Command } from 'commander'
import { ApiError, type Client, type RelayerStatusView, type SweepView } from '../client/client.ts'
import { type Act, type Around, address, serviceCommand, wholeNumber } from './command.ts'
import { connect, type ServiceOptions } from './connect.ts'
import { CommandError, type Exit, exits } from './exits.ts'
import { ether, pairs } from './format.ts'
import { leavesOpen, requireYes } from './require-yes.ts'
import type { Terminal } from './terminal.ts'

interface SweepOptions extends ServiceOptions {
  readonly to: string
  readonly gasLimit?: number
  readonly yes?: true
}

export function addSweep(program: Command, act: Act): void {
  serviceCommand(
    program,
    'sweep',
    "pause a relayer and send its account's balance away, and print the transaction's id",
  )
    .argument('<relayer>', 'the relayer')
    .requiredOption('--to <address>', 'the address that gets the balance', address('--to'))
    .option('--gas-limit <gas>', 'gas limit (default: estimated)', wholeNumber('--gas-limit', 12_000))
    .option('--yes', 'without the question')
    .action(act(sweep))
}

async function sweep({ life, terminal }: Around, relayer: string, options: SweepOptions): Promise<Exit> {
  const { client } = await connect(life, options)
  const { to, gasLimit } = options
  if (!options.yes) await confirm(terminal, client, relayer, to)
  const started = await start(client, relayer, { to, ...(gasLimit !== undefined && { gas_limit: gasLimit }) })
  const { transaction, others } = started
  terminal.show(options, started, () => [transaction.id])
  if (others > 0 && transaction.status === 'pending') {
    terminal.say(
      `rescind: ${others} other transactions are pending or in flight; the sweep waits for those before it, and the pause keeps queued ones back: cancel them one by one`,
    )
  }
  if (!options.json) terminal.say(`stored; "rescind tx watch ${transaction.id} -r ${relayer}" follows it`)
  return exits.done
}

/** A repeated sweep is the same one, so it is safe where the answer got lost. */
async function start(client: Client, relayer: string, input: Parameters<Client['sweep']>[1]): Promise<SweepView> {
  try {
    return await client.sweep(relayer, input)
  } catch (error) {
    if (!leavesOpen(error)) throw error
    const message = `undecided (${error.message}); run it again: while a sweep is under way, it starts no other`
    throw new CommandError(exits.undecided, message, { cause: error })
  }
}

async function confirm(terminal: Terminal, client: Client, relayer: string, to: string): Promise<void> {
  const { address, network } = await client.relayer(relayer)
  const status = await statusOf(client, relayer)
  const lines = pairs([
    ['relayer', relayer],
    ['network', network],
    ['account', address],
    ['balance', status ? ether(status.balance) : 'unknown: no node answers'],
    ['pending', status?.pending_transactions_count],
    ['to', to],
  ])
  for (const line of lines) terminal.say(line)
  await requireYes(terminal, {
    needsAnswer: 'a sweep',
    question: `Pause ${relayer} and send its balance to ${to}?`,
    otherwise: 'nothing was swept',
  })
}

async function statusOf(client: Client, relayer: string): Promise<RelayerStatusView | undefined> {
  try {
    return await client.relayerStatus(relayer)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NODE_UNAVAILABLE') return undefined
    throw error
  }
}
