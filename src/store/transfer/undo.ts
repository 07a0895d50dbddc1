// Undoes a transfer, as long as the target holds the transferred data and nothing else.
import { OperatorError } from '../../ops/operator-error.ts'
import { migrateWithin } from '../postgres/migrate.ts'
import { RowsDiffer } from './compare-table.ts'
import { openSource } from './source.ts'
import { openTarget } from './target.ts'
import { empty, hold, plant } from './target-tables.ts'
import { compareAll, reportEnds, strange, type TransferOptions } from './transfer.ts'

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
