// The events of relayers and of the nodes that they share: a condition that a stored report shows for a minute has begun, one that is absent for
// long is over, each event changes what is shown, and a condition begins at most once in ten minutes.
import type { ShownAttention } from '../../src/domain/attention.ts'
import type { Held } from '../../src/domain/owner-report.ts'
import { amountsFrom, fromJson } from '../../src/store/values.ts'
import type { Disk } from '../process/database.ts'
import type { Event } from './row.ts'

export interface AttentionEvents {
  read(event: Event): void
  /** All committed changes have been read. */
  looked(): void
  forget(): void
}

interface Report {
  readonly relayer_id: string
  readonly network: string
  readonly notification_id: string | null
  readonly observed_at: number
  readonly conditions: string
}

interface Look {
  readonly at: number
  /** How long each condition has held, by the reports. */
  readonly held: ReadonlyMap<string, number>
}

const minuteMs = 60_000
const beginsEveryMs = 10 * minuteMs
/** The nodes of a network are seen by several owners, whose looks lie apart. */
const endsWithinMs = 3 * minuteMs
const ofNodes = ['node_unreachable', 'head_stalled']
const silent = ['on_hold', 'paused']

export function watchAttention({ committed }: Disk, fail: (what: string) => void): AttentionEvents {
  const reports = committed<[], Report>(
    `SELECT o.relayer_id, r.network, r.notification_id, o.observed_at, o.conditions
      FROM owner_reports AS o JOIN relayers AS r ON r.id = o.relayer_id`,
  )
  /** By subject: the conditions of its last event. */
  const shown = new Map<string, ReadonlySet<string>>()
  /** By subject and condition. */
  const beganAt = new Map<string, number>()
  const absentSince = new Map<string, number>()
  let isWhole = true

  function check(subject: string, { at, held }: Look): void {
    const open = shown.get(subject)
    for (const [condition, heldMs] of held) {
      absentSince.delete(`${subject} ${condition}`)
      if (heldMs < minuteMs || silent.includes(condition) || open?.has(condition) || (!open && !isWhole)) continue
      const last = beganAt.get(`${subject} ${condition}`) ?? Number.NEGATIVE_INFINITY
      if (at >= last + beginsEveryMs) fail(`${subject}: ${condition} holds for ${heldMs} ms without an event`)
    }
    for (const condition of open ?? []) {
      if (held.has(condition)) continue
      const since = absentSince.get(`${subject} ${condition}`) ?? at
      absentSince.set(`${subject} ${condition}`, since)
      if (at >= since + endsWithinMs) fail(`${subject}: ${condition} is absent for ${at - since} ms without an event`)
    }
  }

  function lookAt(rows: readonly Report[], isOwn: (condition: string) => boolean): Look {
    const held = new Map<string, number>()
    for (const { observed_at: at, conditions } of rows)
      for (const { condition, since } of amountsFrom<readonly Held[]>(conditions))
        if (isOwn(condition)) held.set(condition, Math.max(at - since, held.get(condition) ?? 0))
    return { at: Math.max(...rows.map((row) => row.observed_at)), held }
  }

  return {
    read({ transaction_id: id, notification_id: notification, occurred_at: at, terminal, attention }) {
      if (attention === null) return
      const { isOfNetwork, conditions } = fromJson<ShownAttention>(attention)
      const subject = isOfNetwork ? `${id} of ${notification}` : id
      const before = shown.get(subject) ?? new Set<string>()
      const after = new Set<string>(conditions.map(({ condition }) => condition))
      if (isWhole && before.size === after.size && [...before].every((each) => after.has(each)))
        fail(`${subject}: an event changes nothing`)
      if ((terminal === 1) !== (after.size === 0))
        fail(`${subject}: terminal is ${terminal} with ${after.size} conditions`)
      for (const condition of after) {
        if (before.has(condition)) continue
        const passedMs = at - (beganAt.get(`${subject} ${condition}`) ?? Number.NEGATIVE_INFINITY)
        if (passedMs < beginsEveryMs) fail(`${subject}: ${condition} begins again after ${passedMs} ms`)
        beganAt.set(`${subject} ${condition}`, at)
      }
      shown.set(subject, after)
    },
    looked() {
      const rows = reports()
      for (const row of rows)
        check(
          `relayer ${row.relayer_id}`,
          lookAt([row], (each) => !ofNodes.includes(each)),
        )
      const groups = Map.groupBy(rows, ({ network, notification_id: of }) => `network ${network} of ${of}`)
      for (const [subject, group] of groups)
        check(
          subject,
          lookAt(group, (each) => ofNodes.includes(each)),
        )
    },
    forget() {
      for (const each of [shown, beganAt, absentSince]) each.clear()
      // Earlier events may have been pruned.
      isWhole = false
    },
  }
}
