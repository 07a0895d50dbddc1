// A second process on the same file is turned away.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Anvil } from '../../tooling/anvil.ts'
import { startService } from '../../tooling/service.ts'
import { audit } from './support/audit.ts'
import { mineUntil, pay, view } from './support/play.ts'
import { anvilStage, type Stage } from './support/stage.ts'

let stage: Stage<Anvil>
beforeAll(async () => {
  stage = await anvilStage({ requiredConfirmations: 2, relayers: { one: {} } })
})
afterAll(() => stage?.[Symbol.asyncDispose]())

test('a second process on the same database is refused with a clear error, and the first goes on', async () => {
  const sender = stage.sender('one')
  const { directory, pid } = stage.service
  await expect(startService({ ...stage.files, directory })).rejects.toThrow(
    /ended with 1 before it was ready\n.*is in use by another rescind process: one process a file; stop the other/s,
  )
  expect(stage.service.pid).toBe(pid)
  const payment = await pay(stage, sender)
  await mineUntil(stage, 'a payment', async () => (await view(stage, payment)).status === 'confirmed')
  await audit(stage, sender)
})
