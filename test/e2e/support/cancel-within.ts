// A cancellation with a bound of cost, recorded as a bulk cancellation records it, while the service is down.
import { cancel } from '../../../src/domain/cancel.ts'
import type { RelayerId, TransactionId } from '../../../src/domain/ids.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { secretUrl } from '../../../src/ops/secret.ts'
import { openPostgresStore } from '../../../src/store/postgres/open.ts'
import { openSqliteStore } from '../../../src/store/sqlite/open.ts'
import { databaseIn } from '../../../tooling/tested-database.ts'
import { quiet } from '../../store/open-store.ts'
import type { Payment } from './play.ts'
import type { AnyStage } from './stage.ts'

/** The service dies before, and starts again after it. */
export async function cancelWithin({ service }: AnyStage, { sender, id }: Payment, costMax: bigint): Promise<void> {
  await service.kill9()
  const { url } = databaseIn(service.directory)
  const around = { clock: systemClock, logger: quiet }
  {
    await using store = url.startsWith('postgres:')
      ? await openPostgresStore({ url: secretUrl(new URL(url)), ...around })
      : await openSqliteStore({ path: url.slice('sqlite:'.length), ...around })
    const relayerId = sender.id as RelayerId
    await store.commit(async (session) => {
      const found = await session.transaction(relayerId, id as TransactionId)
      if (!found) throw new Error(`there is no transaction ${id}`)
      const now = Date.now()
      await session.saveTransaction(found, cancel(found, now, 'request', costMax), now)
    }, relayerId)
  }
  await service.restart()
}
