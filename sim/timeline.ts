// Virtual time. Nothing waits for the machine: timers fire in the order of a heap, and only once the engine is at rest.
//
// The engine waits for promises, setImmediate, its clock and its transport. The last two are events here, and this file replaces
// setImmediate. Node runs an immediate only when no promise is left to settle, so an engine with no immediate left after such a turn
// is at rest until an event comes.

const realSetImmediate = globalThis.setImmediate
let immediates: (() => void)[] = []

// biome-ignore lint/suspicious/noExplicitAny: the standard's own signature
globalThis.setImmediate = ((run: (...args: any[]) => void, ...args: any[]) => {
  immediates.push(() => run(...args))
}) as unknown as typeof setImmediate

/** Every so often a turn of the real event loop, which costs more: only it reports unhandled rejections. */
const turnsBetween = 32
let turns = 0

function turn(): Promise<void> {
  turns += 1
  return new Promise((resolve) => {
    if (turns % turnsBetween === 0) realSetImmediate(resolve)
    else process.nextTick(resolve)
  })
}

interface Event {
  readonly at: number
  readonly order: number
  run: (() => void) | undefined
}

export interface Timeline {
  /** Milliseconds since the run began; never runs backwards. */
  now(): number
  /** Answers how to call it off. */
  after(delayMs: number, run: () => void): () => void
  /** Runs the engine until it waits for an event. */
  rest(): Promise<void>
  /** Moves on to the next event and rests. False when there is none. */
  next(): Promise<boolean>
  /** The time of the next event, in milliseconds. Undefined: there is none. */
  nextAt(): number | undefined
  /** Moves on without an event in between. */
  pass(untilMs: number): void
  /** Runs `run` between two of the engine's turns, `turns` from now. */
  interject(turns: number, run: () => void): void
  readonly events: () => number
}

export function openTimeline(): Timeline {
  let nowMs = 0
  let order = 0
  let dispatched = 0
  let interjection: { turns: number; run: () => void } | undefined
  const heap: Event[] = []
  immediates = []

  const before = (one: Event, other: Event) => one.at < other.at || (one.at === other.at && one.order < other.order)

  function push(event: Event): void {
    let place = heap.push(event) - 1
    while (place > 0) {
      const parent = (place - 1) >> 1
      const above = heap[parent] as Event
      if (!before(event, above)) break
      heap[place] = above
      place = parent
    }
    heap[place] = event
  }

  function pop(): Event | undefined {
    const top = heap[0]
    const last = heap.pop()
    if (!top || !last || heap.length === 0) return top
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && before(heap[child + 1] as Event, heap[child] as Event)) child += 1
      if (!before(heap[child] as Event, last)) break
      heap[place] = heap[child] as Event
      place = child
    }
    heap[place] = last
    return top
  }

  function skipCanceled(): void {
    while (heap[0] && !heap[0].run) pop()
  }

  async function rest(): Promise<void> {
    for (;;) {
      await turn()
      if (interjection && --interjection.turns <= 0) {
        const { run } = interjection
        interjection = undefined
        run()
        continue
      }
      const next = immediates.shift()
      if (!next) return
      next()
    }
  }

  return {
    now: () => nowMs,
    after(delayMs, run) {
      order += 1
      const event: Event = { at: nowMs + Math.max(0, delayMs), order, run }
      push(event)
      return () => {
        event.run = undefined
      }
    },
    rest,
    async next() {
      skipCanceled()
      const event = pop()
      if (!event) return false
      nowMs = event.at
      dispatched += 1
      event.run?.()
      event.run = undefined
      await rest()
      return true
    },
    nextAt() {
      skipCanceled()
      return heap[0]?.at
    },
    pass(untilMs) {
      nowMs = Math.max(nowMs, untilMs)
    },
    interject(turns, run) {
      interjection = { turns, run }
    },
    events: () => dispatched,
  }
}
