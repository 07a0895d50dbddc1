// A backup of the service's database, and what putting it back takes.
import { copyFile, rm } from 'node:fs/promises'
import { databasePath } from '../../support/service-files.ts'
import type { AnyStage } from './stage.ts'

/** Of all that is committed: a service that has drained leaves no log beside the file. */
export async function copyDatabase({ service }: AnyStage): Promise<void> {
  const path = databasePath(service.directory)
  await service.stop()
  await copyFile(path, `${path}.copy`)
  await service.restart()
}

export async function putBack({ service }: AnyStage): Promise<void> {
  const path = databasePath(service.directory)
  await service.stop()
  for (const suffix of ['-wal', '-shm']) await rm(path + suffix, { force: true })
  await copyFile(`${path}.copy`, path)
  await service.restart()
}
