// rescind tx watch: a transaction's events as they happen, until it has ended.
import type { Command } from 'commander'
import type { Client, TransactionView } from '../client/client.ts'
import { type Act, type Around, relayerCommand } from './command.ts'
import { connect, type RelayerOptions, relayerOf } from './connect.ts'
import { CommandError, type Exit, exits } from './exits.ts'
import { paintStatus } from './format.ts'
import { wholeNumber } from './options.ts'
import { plain } from './terminal.ts'
import { exitOfEnd, hasEnded, verdictOn } from './verdict.ts'

interface Options extends RelayerOptions {
  readonly json?: true
  readonly timeout?: number
}

export function addWatchTransaction(tx: Command, act: Act): void {
  relayerCommand(tx, 'watch', 'follow a transaction until it has ended; with --json one JSON value a line')
    .argument('<id>', 'id of the transaction')
    .option('--timeout <seconds>', 'end after this time with exit code 5', wholeNumber('--timeout', 1))
    .action(act(watchTransaction))
}

async function watchTransaction(around: Around, id: string, options: Options): Promise<Exit> {
  const { life } = around
  const { client } = await connect(life, options)
  const relayer = await relayerOf(client, options)
  const show = shower(around, options)
  show(await client.transaction(relayer, id))

  const over = new AbortController()
  const late = options.timeout === undefined ? [] : [AbortSignal.timeout(options.timeout * 1000)]
  const signal = AbortSignal.any([over.signal, ...late])
  // What changed before the stream was open has no event in it.
  let looking: Promise<void> | undefined
  const onOpen = () => {
    looking ??= endIfEnded(client, relayer, id, over).catch((error: unknown) => over.abort(error))
  }
  for await (const { terminal: isLast, payload } of client.events({
    relayerId: relayer,
    transactionId: id,
    signal,
    onOpen,
  })) {
    show(payload)
    if (isLast) over.abort(ended)
  }
  await looking
  if (over.signal.aborted && over.signal.reason !== ended) throw over.signal.reason
  return reportEnd(client, relayer, id, show)
}

const ended = Symbol('the transaction has ended')

async function endIfEnded(client: Client, relayer: string, id: string, over: AbortController): Promise<void> {
  const [transaction, verdict] = await Promise.all([client.transaction(relayer, id), verdictOn(client, relayer, id)])
  if (hasEnded(transaction, verdict)) over.abort(ended)
}

async function reportEnd(client: Client, relayer: string, id: string, show: Show): Promise<Exit> {
  const [transaction, verdict] = await Promise.all([client.transaction(relayer, id), verdictOn(client, relayer, id)])
  show(transaction)
  if (hasEnded(transaction, verdict)) return exitOfEnd(transaction, verdict)
  throw new CommandError(exits.undecided, `undecided: the transaction is ${transaction.status}`)
}

type Show = (transaction: TransactionView) => void

/** Prints a state once, also where the stream and a read report it. */
function shower({ terminal }: Around, { json }: Options): Show {
  let last = ''
  return (transaction) => {
    const { status, status_reason: reason, hash } = transaction
    const now = JSON.stringify([status, reason, hash])
    if (now === last) return
    last = now
    if (json) terminal.print(JSON.stringify(transaction))
    else
      terminal.print(
        [paintStatus(terminal, status.padEnd(9)), plain(hash ?? '-'), plain(reason ?? '')].join('  ').trimEnd(),
      )
  }
}
