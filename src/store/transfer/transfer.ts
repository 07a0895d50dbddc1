// Transfers the data of a SQLite file to PostgreSQL, all or nothing, whenever the process dies.
//
//   target   schema, and "begun", durable            identifies the target of this transfer
//   file     one transaction: lock, schema, read     target   one transaction: copy, read back, compare, "done"
//   file     "moving", durable                       from here on no service starts on the file
//   target   commit                                  the data is there
//   file     "moved", durable
//
// If the process dies before "moving", nothing has happened. If it dies later, the file names the transfer, and the next run
// reads the target's record: it finishes after "done", and starts again after "begun". Services never start on both.
import type { Clock } from '../../ops/clock.ts'
import { OperatorError } from '../../ops/operator-error.ts'
import { freshId, type Random } from '../../ops/random.ts'
import type { Secret } from '../../ops/secret.ts'
import { migrateWithin } from '../postgres/migrate.ts'
import { raiseSequences } from '../postgres/raise-sequences.ts'
import { compareTable, RowsDiffer } from './compare-table.ts'
import { copyTable } from './copy-table.ts'
import { carried, type Row, type Table } from './rows.ts'
import { openSource, type Source } from './source.ts'
import { openTarget, type Target } from './target.ts'
import { empty, hold, plant, refuseFilled, typesOf } from './target-tables.ts'

interface TransferOptions {
  /** The SQLite file. */
  readonly path: string
  /** The PostgreSQL database. */
  readonly url: Secret
  readonly clock: Clock
  readonly random: Random
  /** Stops the transfer before "moving". */
  readonly stop: AbortSignal
  /** Shows a line to the operator. */
  report(line: string): void
}

/** Throws OperatorError for a failure that an operator can fix. Messages show only the host of `url`. */
export async function transferToPostgres(options: TransferOptions): Promise<void> {
  const { path, url, clock, random, report } = options
  using source = openSource({ path, now: clock.now(), readOnly: false })
  await using target = await openTarget(url, clock)
  reportEnds(source, target, report)
  const { mark } = source
  const transferId = mark?.move ?? freshId<string>(random, clock.now())

  // A complete transfer is on record on both sides, even while a service uses the target; an unfinished one needs the lock.
  if (mark?.state !== 'moved') await target.begin()
  const state = await target.state(transferId)
  const isCutOff = mark?.state === 'moving' && state === 'begun'
  if (mark && !isCutOff) {
    if (state !== 'done') throw strange(source, target, state)
    source.write({ ...mark, state: 'moved', target: target.shown })
    report('this transfer is complete: nothing was left to be done')
    return
  }
  await migrateWithin(target.client, clock.now())
  await hold(target.client, source.tables)
  await refuseFilled(target.client, source.tables, target.shown)
  await target.recordState(transferId, 'begun', source.path)
  await target.commit()

  await target.begin()
  await hold(target.client, source.tables)
  await refuseFilled(target.client, source.tables, target.shown)
  await copyAll(source, target, options)
  await target.recordState(transferId, 'done', source.path)
  options.stop.throwIfAborted()
  source.write({ move: transferId, state: 'moving', target: target.shown, at: clock.now() })
  await target.commit().catch((cause: Error) => {
    throw new OperatorError(
      `the target may or may not have committed (${cause.message}); the file is marked, so that no service starts on it: run this command again to finish`,
      { cause },
    )
  })
  source.write({ move: transferId, state: 'moved', target: target.shown, at: clock.now() })
  report('moved. The file is kept as it is, and no service starts on it; start the service with this DATABASE_URL')
}

/** Does everything except the transfer itself: both sides stay as they are, and a service may use the file. */
export async function rehearse(options: TransferOptions): Promise<void> {
  const { path, url, clock, report } = options
  using source = openSource({ path, now: clock.now(), readOnly: true })
  if (source.mark) throw new OperatorError(`${source.path} is marked as ${source.mark.state} to ${source.mark.target}`)
  await using target = await openTarget(url, clock)
  reportEnds(source, target, report)
  await target.begin()
  await migrateWithin(target.client, clock.now())
  await hold(target.client, source.tables)
  await refuseFilled(target.client, source.tables, target.shown)
  await copyAll(source, target, options)
  await target.client.query('ROLLBACK')
  report('it can be moved. This was a rehearsal: nothing was changed on either side')
}

/** Runs inside a transaction of each side. */
async function copyAll(source: Source, target: Target, { report, stop }: TransferOptions): Promise<void> {
  const { client } = target
  await empty(client, source.tables)
  for (const table of source.tables) {
    const rows = await copyTable(client, table, await typesOf(client, table), expected(source, table), (copied) => {
      stop.throwIfAborted()
      if (copied % reportEvery === 0) report(`${table.name}: ${copied} rows so far`)
    })
    report(`${table.name}: ${rows} rows copied`)
  }
  // New rows get ids above the highest.
  await raiseSequences(client)
  await compareAll(source, target, { report, stop })
  // Without statistics the first queries would be planned for empty tables.
  for (const { name } of source.tables) await client.query(`ANALYZE "${name}"`)
}

const reportEvery = 100_000

/** Throws RowsDiffer. */
async function compareAll(
  source: Source,
  target: Target,
  { report, stop }: Pick<TransferOptions, 'report' | 'stop'>,
): Promise<void> {
  let total = 0
  for (const table of source.tables) {
    stop.throwIfAborted()
    const { rows, digest } = await compareTable(target.client, table, expected(source, table))
    report(`${table.name}: ${rows} rows are the same on both sides, sha256 ${digest}`)
    total += rows
  }
  report(`all ${total} rows of ${source.tables.length} tables are the same on both sides`)
}

function* expected(source: Source, table: Table): Generator<Row> {
  for (const row of source.rows(table)) yield carried(table, row)
}

function reportEnds(source: Source, target: Target, report: TransferOptions['report']): void {
  report(`from ${source.path}`)
  report(`to ${target.shown}`)
}

/** The error for a target that does not match the file's mark. */
function strange(source: Source, target: Target, state: string | undefined): OperatorError {
  const { mark } = source
  return new OperatorError(
    state === 'undone'
      ? `the transfer of ${source.path} was undone in ${target.shown}, but the file still has its mark: run this command with --undo again`
      : `${source.path} is marked as ${mark?.state} to ${mark?.target}, but ${target.shown} has no record of that transfer: set DATABASE_URL to the database that the file was moved to`,
  )
}

// Undoes a transfer, as long as the target holds the transferred data and nothing else.

/** Empties the target first, so that services never start on both. Throws OperatorError. */
export async function undoTransfer(options: TransferOptions): Promise<void> {
  const { path, url, clock, report } = options
  using source = openSource({ path, now: clock.now(), readOnly: false })
  const { mark } = source
  if (!mark) throw new OperatorError(`${source.path} is not marked as moved: there is nothing to undo`)
  await using target = await openTarget(url, clock)
  reportEnds(source, target, report)
  await target.begin()
  const state = await target.state(mark.move)
  if (state === undefined) throw strange(source, target, state)
  if (state === 'done') {
    await migrateWithin(target.client, clock.now())
    await hold(target.client, source.tables)
    await compareAll(source, target, options).catch((cause: unknown) => {
      if (!(cause instanceof RowsDiffer)) throw cause
      throw new OperatorError(
        `a service has written to ${target.shown} since the transfer (${cause.message}): what it did is not in the file, so the transfer can't be undone`,
        { cause },
      )
    })
    await empty(target.client, source.tables)
    await plant(target.client)
  }
  options.stop.throwIfAborted()
  await target.recordState(mark.move, 'undone', source.path)
  await target.commit().catch((cause: Error) => {
    throw new OperatorError(`the target may or may not be empty (${cause.message}): run this command again to finish`, {
      cause,
    })
  })
  source.unmark()
  report('undone. The target is empty, and services start on the file again')
}
