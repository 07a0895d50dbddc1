// A backup of the service's database, and what putting it back takes.
import { databaseIn } from '../../../tooling/tested-database.ts'
import type { AnyStage } from './stage.ts'

/** Of all that is committed. */
export async function copyDatabase({ service }: AnyStage): Promise<void> {
  await service.stop()
  databaseIn(service.directory).copy()
  await service.restart()
}

export async function putBack({ service }: AnyStage): Promise<void> {
  await service.stop()
  databaseIn(service.directory).putBack()
  await service.restart()
}
