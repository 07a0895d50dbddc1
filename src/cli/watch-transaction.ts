// rescind tx watch: a transaction's events as they happen, until it has ended.
import type { Command } from 'commander'
import type { Client, TransactionView } from '../client/client.ts'
import { type Act, type Around, relayerCommand, wholeNumber } from './command.ts'
import { connectToRelayer, type RelayerOptions } from './connect.ts'
import { CommandError, type Exit, exits } from './exits.ts'
import { paintStatus } from './format.ts'
import { plain } from './terminal.ts'
import { exitOfEnd, hasEnded, verdictOn } from './verdict.ts'

interface Options extends RelayerOptions {
  readonly timeout?: number
}

export function addWatchTransaction(tx: Command, act: Act): void {
  relayerCommand(tx, 'watch', 'follow a transaction until it has ended; with --json one JSON value a line')
    .argument('<id>', 'id of the transaction')
    .option('--timeout <seconds>', 'end after this time with exit code 5', wholeNumber('--timeout', 1))
    .action(act(watchTransaction))
}

async function watchTransaction(around: Around, id: string, options: Options): Promise<Exit> {
  const { client, relayer } = await connectToRelayer(around.life, options)
  return untilEnded(client, { relayer, id, seconds: options.timeout }, shower(around, options))
}

interface Watched {
  readonly relayer: string
  readonly id: string
  /** How long to wait for the end. Undefined: for ever. */
  readonly seconds: number | undefined
}

/** Calls `show` with each state. The exit code is that of its end. Throws CommandError for another end than it was sent for, or none. */
export async function untilEnded(client: Client, { relayer, id, seconds }: Watched, show: Show): Promise<Exit> {
  const showNew = once(show)
  showNew(await client.transaction(relayer, id))

  const over = new AbortController()
  const late = seconds === undefined ? [] : [AbortSignal.timeout(seconds * 1000)]
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
    if (payload.payload_type !== 'transaction') continue
    showNew(payload)
    if (isLast) over.abort(ended)
  }
  await looking
  if (over.signal.aborted && over.signal.reason !== ended) throw over.signal.reason
  return reportEnd(client, relayer, id, showNew)
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

/** Shows a state once, also where the stream and a read report it. */
function once(show: Show): Show {
  let last = ''
  return (transaction) => {
    const { status, status_reason: reason, hash } = transaction
    const now = JSON.stringify([status, reason, hash])
    if (now === last) return
    last = now
    show(transaction)
  }
}

function shower({ terminal }: Around, { json }: Options): Show {
  return (transaction) => {
    const { status, status_reason: reason, hash } = transaction
    if (json) terminal.print(JSON.stringify(transaction))
    else
      terminal.print(
        [paintStatus(terminal, status.padEnd(9)), plain(hash ?? '-'), plain(reason ?? '')].join('  ').trimEnd(),
      )
  }
}
