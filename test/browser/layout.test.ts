// The layout of the main pages in real Chromium, by geometry, on screens of desks, tablets and phones.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumPath } from '../../tooling/dashboard/browser.ts'
import { type Crowd, setCrowd } from '../../tooling/dashboard/crowd.ts'
import { isSkipped } from '../support/is-skipped.ts'
import { layoutFaults, openSettled } from './support/geometry.ts'
import { type Desk, openDesk } from './support/visit.ts'

describe.skipIf(isSkipped(chromiumPath === undefined))('the layout', () => {
  let desk: Desk<Crowd>
  beforeAll(async () => {
    desk = await openDesk(setCrowd)
  })
  afterAll(() => desk?.[Symbol.asyncDispose]())

  test.each(['/', '/relayers/payouts', '/bulk-cancellations/new'])('%s', async (path) => {
    const { page } = desk.operator
    await openSettled(page, `${desk.scene.service.url}${path}`)
    expect(await layoutFaults(page)).toEqual([])
  })
})
