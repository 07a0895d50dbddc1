// A network's marks of believed tips, as stored for all replicas. Readers of prices never wait for the store.
import { isMarkDue, keptMarks, type TipMark } from '../../domain/tip-marks.ts'
import type { Clock } from '../../ops/clock.ts'
import type { Logger } from '../../ops/logger.ts'

/** The stored marks of the last day. */
export interface TipMemory {
  load(): Promise<readonly TipMark[]>
  /** Stores the mark if it is still wanted beside the stored ones, in one commit. Returns whether it was. */
  save(mark: TipMark, isWanted: (stored: readonly TipMark[]) => boolean): Promise<boolean>
}

export interface RememberedTips {
  /** Undefined until the stored marks are read. An empty store counts for a minute: another replica may store the first mark. */
  marks(): readonly TipMark[] | undefined
  /** The first mark counts once it is stored, and not if another replica has stored one. */
  begin(mark: TipMark): void
  add(mark: TipMark): void
}

interface RememberingTips {
  readonly clock: Pick<Clock, 'now' | 'elapsed'>
  readonly logger: Pick<Logger, 'debug'>
  /** Absent: only this process remembers the marks. */
  readonly memory: TipMemory | undefined
}

/** The time between readings: another replica may have marked a higher tip. A new mark counts only after such a time anyway. */
const rereadAfterMs = 600_000
const noneRereadAfterMs = 10_000
const noneCountsMs = 60_000
const retriedAfterMs = 30_000

export function rememberTips({ clock, logger, memory }: RememberingTips): RememberedTips {
  return memory ? storedTips(memory, clock, logger) : ownTips(clock)
}

function ownTips(clock: Pick<Clock, 'now'>): RememberedTips {
  let marks: readonly TipMark[] = []
  const add = (mark: TipMark) => {
    marks = [...keptMarks(marks, clock.now()), mark]
  }
  return { marks: () => keptMarks(marks, clock.now()), begin: add, add }
}

function storedTips(
  { load, save }: TipMemory,
  clock: RememberingTips['clock'],
  logger: RememberingTips['logger'],
): RememberedTips {
  let marks: readonly TipMark[] = []
  let first: TipMark | undefined
  let unsaved: readonly TipMark[] = []
  let readAtMs = Number.NEGATIVE_INFINITY
  let pausedUntilMs = Number.NEGATIVE_INFINITY
  let isUnderWay = false

  function exchange(): void {
    const rereadMs = marks.length === 0 ? noneRereadAfterMs : rereadAfterMs
    const isDue = first !== undefined || unsaved.length > 0 || clock.elapsed() - readAtMs >= rereadMs
    if (isUnderWay || !isDue || clock.elapsed() < pausedUntilMs) return
    isUnderWay = true
    void writeAndRead()
      .catch((error: unknown) => {
        pausedUntilMs = clock.elapsed() + retriedAfterMs
        logger.debug({ err: error }, 'the believed tips could not be read or stored')
      })
      .finally(() => {
        isUnderWay = false
        // A mark may have come meanwhile.
        if (first || unsaved.length > 0) exchange()
      })
  }

  async function writeAndRead(): Promise<void> {
    const begun = first
    if (begun) await save(begun, (stored) => stored.length === 0)
    for (const mark of unsaved) {
      const now = clock.now()
      // Another replica may have stored one just now: that one counts, in every process.
      const isStored = await save(mark, (stored) => isMarkDue(stored, mark.tip, now))
      unsaved = unsaved.filter((each) => each !== mark)
      if (!isStored) marks = marks.filter((each) => each !== mark)
    }
    const stored = await load()
    const own = unsaved.filter(({ at }) => !stored.some((mark) => mark.at === at))
    marks = keptMarks([...stored, ...own], clock.now())
    readAtMs = clock.elapsed()
    if (first === begun) first = undefined
  }

  exchange()
  return {
    marks() {
      exchange()
      marks = keptMarks(marks, clock.now())
      if (marks.length > 0) return marks
      const isFresh = first === undefined && clock.elapsed() - readAtMs < noneCountsMs
      return isFresh ? marks : undefined
    },
    begin(mark) {
      first = mark
      exchange()
    },
    add(mark) {
      marks = [...marks, mark]
      unsaved = [...keptMarks(unsaved, clock.now()), mark]
      exchange()
    },
  }
}
