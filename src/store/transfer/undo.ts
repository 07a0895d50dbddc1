// Takes a move back, as long as the target holds what was moved there and nothing else.
import { OperatorError } from '../../ops/operator-error.ts'
import { migrateWithin } from '../postgres/migrate.ts'
import { RowsDiffer } from './compare-table.ts'
import { compareAll, type MoveOptions, reportEnds, strange } from './move.ts'
import { openSource } from './source.ts'
import { openTarget } from './target.ts'
import { empty, hold, plant } from './target-tables.ts'

/** The target is emptied first: there is no moment at which services start on both. Throws OperatorError. */
export async function undoMove(options: MoveOptions): Promise<void> {
  const { path, url, clock, report } = options
  using source = openSource({ path, now: clock.now(), readOnly: false })
  const { mark } = source
  if (!mark) throw new OperatorError(`${source.path} is not marked as moved: there is nothing to undo`)
  await using target = await openTarget(url, clock)
  reportEnds(source, target, report)
  await target.begin()
  const standing = await target.standing(mark.move)
  if (standing === undefined) throw strange(source, target, standing)
  if (standing === 'done') {
    await migrateWithin(target.client, clock.now())
    await hold(target.client, source.tables)
    await compareAll(source, target, options).catch((cause: unknown) => {
      if (!(cause instanceof RowsDiffer)) throw cause
      throw new OperatorError(
        `a service has written to ${target.shown} since the move (${cause.message}): what it did is not in the file, so the move can't be undone`,
        { cause },
      )
    })
    await empty(target.client, source.tables)
    await plant(target.client)
  }
  options.stop.throwIfAborted()
  await target.stand(mark.move, 'undone', source.path)
  await target.commit().catch((cause: Error) => {
    throw new OperatorError(
      `whether the target is empty is not known (${cause.message}): run this command again, which finds out`,
      { cause },
    )
  })
  source.unmark()
  report('undone. The target is empty, and services start on the file again')
}
