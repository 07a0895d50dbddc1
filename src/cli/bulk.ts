// rescind bulk and rescind stop-everything: their commands and options.
import type { Command } from 'commander'
import { addBulkFilter, addBulkLimit } from './bulk-options.ts'
import { type Act, addPaging, collect, serviceCommand, wholeNumber } from './command.ts'
import { createBulk, previewBulk, stopEverything } from './create-bulk.ts'
import { listBulks, showBulk, watchBulk } from './read-bulks.ts'

export function addBulk(program: Command, act: Act): void {
  const bulk = program.command('bulk').description('cancel what a filter matches, and follow such cancellations')
  const create = serviceCommand(
    bulk,
    'create',
    'cancel what the options match, and print the id of the cancellation',
  ).option('--at-most <number>', 'cancel nothing if more would be canceled', wholeNumber('--at-most', 0))
  addRequest(addScope(create)).action(act(createBulk))
  const preview = serviceCommand(bulk, 'preview', 'show what the options match, and its cost')
  addScope(preview).action(act(previewBulk))
  const list = serviceCommand(bulk, 'list', 'list bulk cancellations, newest first')
  addPaging(list, 'bulk cancellations').action(act(listBulks))
  serviceCommand(bulk, 'show', 'show a bulk cancellation, with its relayers')
    .argument('<id>', 'id of the bulk cancellation')
    .option('--transactions', 'list every transaction that it canceled, with its verdict')
    .action(act(showBulk))
  serviceCommand(bulk, 'watch', 'follow a bulk cancellation until every verdict is final')
    .argument('<id>', 'id of the bulk cancellation')
    .option('--timeout <seconds>', 'end after this time with exit code 5', wholeNumber('--timeout', 1))
    .action(act(watchBulk))
}

export function addStopEverything(program: Command, act: Act): void {
  const stop = serviceCommand(program, 'stop-everything', 'pause all relayers, and cancel everything open of them')
  addRequest(addBulkLimit(stop)).action(act(stopEverything))
}

function addScope(command: Command): Command {
  const named = command
    .option('-r, --relayer <ids>', 'the relayers; several with commas', collect)
    .option('--all', 'all relayers that the key may cancel at')
    .option('--pause', 'pause each relayer in the same commit')
  return addBulkLimit(addBulkFilter(named))
}

function addRequest(command: Command): Command {
  return command
    .option('--name <name>', 'a name for people')
    .option('--reason <text>', 'why, for those who read it later')
    .option('--idempotency-key <key>', 'create it at most once under this key (default: a new one, which is printed)')
    .option('--wait <seconds>', 'wait until every verdict is final', wholeNumber('--wait', 1, 86_400))
    .option('--yes', 'without the question')
}
