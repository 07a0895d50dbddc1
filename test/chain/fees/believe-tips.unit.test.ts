// Which tips are believed: those stored for all replicas, else a first reading that cannot be one endpoint's outlier.
import { beforeEach, describe, expect, test } from 'vitest'
import { type BelievedTips, believingTips } from '../../../src/chain/fees/believe-tips.ts'
import { rememberTips, type TipMemory } from '../../../src/chain/fees/remember-tips.ts'
import { firstMark, type TipMark } from '../../../src/domain/tip-marks.ts'
import { systemClock } from '../../../src/ops/clock.ts'
import { gwei, now } from '../../domain/some.ts'

const minute = 60_000
const hour = 60 * minute
const lie = 10n ** 15n
const quiet = { debug: () => undefined }

/** Since the beginning. */
let passedMs = 0
const clock = { now: () => now + passedMs, elapsed: () => passedMs }
beforeEach(() => {
  passedMs = 0
})

interface Table extends TipMemory {
  readonly stored: TipMark[]
  loads: number
  fails: boolean
}

/** What the replicas of a network store. */
function tableOf(stored: TipMark[] = []): Table {
  const table: Table = {
    ...{ stored, loads: 0, fails: false },
    async load() {
      table.loads += 1
      if (table.fails) throw new Error('the database does not answer')
      return [...stored]
    },
    async save(mark, isWanted) {
      if (table.fails) throw new Error('the database does not answer')
      const wanted = isWanted(stored)
      if (wanted) stored.push(mark)
      return wanted
    },
  }
  return table
}

function tipsOver(memory: TipMemory | undefined, isDevelopment = false): BelievedTips {
  const remembered = rememberTips({ clock, logger: quiet, memory })
  return believingTips({ clock, remembered, small: gwei / 10n, isDevelopment })
}

/** The believed tips at a reading of the only endpoint, and after the store's answer. */
async function believe(tips: BelievedTips, tip: bigint, agreed?: bigint): Promise<bigint> {
  const believed = tips.believe({ tip, agreed, block: passedMs })
  await systemClock.sleep(0)
  return believed
}

async function started(memory: TipMemory): Promise<BelievedTips> {
  const tips = tipsOver(memory)
  await systemClock.sleep(0)
  return tips
}

describe('with nothing stored', () => {
  test("the lower of two endpoints' readings counts at once", async () => {
    const tips = tipsOver(undefined)
    expect(tips.isEmpty()).toBe(true)
    expect(await believe(tips, lie, 3n * gwei)).toBe(6n * gwei)
    expect(tips.isEmpty()).toBe(false)
    expect(await believe(tips, lie)).toBe(6n * gwei)
  })

  test("the only endpoint's lowest of three readings over a minute counts, and nothing before", async () => {
    const tips = tipsOver(undefined)
    for (const [second, tip] of [lie, lie, 4n * gwei].entries()) {
      passedMs = second * 30_000
      expect(await believe(tips, tip)).toBe(second < 2 ? 0n : 8n * gwei)
    }
  })

  test('the first reading of a development chain counts whole', async () => {
    expect(await believe(tipsOver(undefined, true), 20n * gwei)).toBe(40n * gwei)
  })
})

describe('the stored tips', () => {
  test('counts in the next process, and in another replica, instead of their first reading', async () => {
    const table = tableOf()
    const before = await started(table)
    await believe(before, 3n * gwei, 3n * gwei)
    expect(await believe(before, lie)).toBe(6n * gwei)
    for (const tips of [await started(table), await started(table)]) {
      expect(tips.isEmpty()).toBe(false)
      expect(await believe(tips, lie, lie)).toBe(6n * gwei)
    }
    expect(table.stored[0]).toEqual(firstMark(3n * gwei, now))
  })

  test('never exceeds what the rule lets it be believed, whatever a node names', async () => {
    const table = tableOf()
    const tips = await started(table)
    await believe(tips, gwei, gwei)
    for (let passed = 1; passed <= 60; passed += 1) {
      passedMs = passed * minute
      await believe(tips, lie)
      for (const { at, tip } of table.stored) {
        const standing = table.stored.filter((mark) => mark.at <= at - 10 * minute).map((mark) => mark.tip)
        for (const before of standing.slice(-1)) expect(tip).toBeLessThanOrEqual(2n * before)
      }
    }
    expect(table.stored.at(-1)?.tip).toBeLessThanOrEqual(64n * gwei)
  })

  test('is written seldom, and read seldom', async () => {
    const table = tableOf()
    const tips = await started(table)
    for (passedMs = 0; passedMs < 6 * hour; passedMs += 12_000) await believe(tips, gwei, gwei)
    expect(table.stored.length).toBeLessThanOrEqual(7)
    expect(table.loads).toBeLessThanOrEqual(6 * 6 + 8)
  })

  test('is one first reading, whichever replica is first: it counts once it is stored', async () => {
    const table = tableOf()
    const [one, other] = [await started(table), await started(table)]
    const both = [
      one.believe({ tip: gwei, agreed: gwei, block: 1 }),
      other.believe({ tip: lie, agreed: lie, block: 1 }),
    ]
    expect(both).toEqual([0n, 0n])
    await systemClock.sleep(0)
    expect(table.stored).toEqual([firstMark(gwei, now)])
    for (const tips of [one, other]) expect(await believe(tips, lie)).toBe(2n * gwei)
  })

  test('gets a first mark that comes while it is being read', async () => {
    const table = tableOf()
    const tips = await started(table)
    passedMs = 15_000
    await believe(tips, gwei, gwei)
    expect(table.stored).toHaveLength(1)
  })

  test('is read again before the first reading of a replica that stood still', async () => {
    const table = tableOf()
    const tips = await started(table)
    passedMs = minute
    table.stored.push(firstMark(gwei, clock.now()))
    expect(await believe(tips, lie, lie)).toBe(0n)
    expect(await believe(tips, lie, lie)).toBe(2n * gwei)
  })

  test('by another replica counts here without a restart, ten minutes later at the latest', async () => {
    const table = tableOf()
    const tips = await started(table)
    await believe(tips, gwei, gwei)
    table.stored.push({ at: now, tip: 2n * gwei })
    passedMs = 10 * minute
    await believe(tips, gwei)
    expect(await believe(tips, lie)).toBe(4n * gwei)
  })
})

test('a mark that another replica has made needless counts no longer, though the stored ones cannot be read', async () => {
  const first = firstMark(gwei, now)
  const table = tableOf([first])
  const memory = { load: table.load, save: async () => false }
  const remembered = rememberTips({ clock, logger: quiet, memory })
  await systemClock.sleep(0)
  expect(remembered.marks()).toEqual([first])
  table.fails = true
  remembered.add({ at: now, tip: 2n * gwei })
  await systemClock.sleep(0)
  expect(remembered.marks()).toEqual([first])
})

describe('a database that does not answer', () => {
  test('holds up no reading: little is believed until the stored tips are read', async () => {
    const table = tableOf([firstMark(9n * gwei, now)])
    table.fails = true
    const tips = await started(table)
    expect(await believe(tips, lie, lie)).toBe(0n)
    table.fails = false
    passedMs = minute
    await believe(tips, lie, lie)
    expect(await believe(tips, lie, lie)).toBe(18n * gwei)
  })

  test('gets a mark later', async () => {
    const table = tableOf()
    const tips = await started(table)
    table.fails = true
    expect(await believe(tips, gwei, gwei)).toBe(0n)
    table.fails = false
    passedMs = minute
    await believe(tips, gwei, gwei)
    expect(table.stored).toEqual([firstMark(gwei, now)])
    table.fails = true
    passedMs = 20 * minute
    await believe(tips, 2n * gwei)
    table.fails = false
    passedMs = 21 * minute
    await believe(tips, 2n * gwei)
    expect(table.stored.map(({ tip }) => tip)).toEqual([gwei, 2n * gwei])
  })

  test('that hangs is called once', async () => {
    let loads = 0
    const memory: TipMemory = {
      load: () => {
        loads += 1
        return new Promise(() => undefined)
      },
      save: () => Promise.reject(new Error('not read yet')),
    }
    const tips = await started(memory)
    for (; passedMs < hour; passedMs += minute) expect(await believe(tips, lie, lie)).toBe(0n)
    expect(loads).toBe(1)
  })
})
