// The host of a replica: a paused process resumes when it wakes up, and others may own its relayers by then.

import { forget, type Host } from './host.ts'
import { type Process, start } from './process/engine.ts'
import { type Instance, openInstance, resume } from './process/instance.ts'
import { LocksUnavailable } from './process/locks.ts'
import type { World } from './world.ts'

export function openReplica(world: World, nextProcessId: () => number): Host {
  const { machine, history, timeline, dice } = world
  const locks = machine.sharing?.locks
  let present: Process | undefined
  let draining = false
  let left = false

  function begin(): void {
    left = false
    const instance = openInstance(nextProcessId(), (how) => {
      history.note(`p${instance.id} ${how === 'dead' ? 'crashes' : 'is paused'}`)
      world.marks.ended(how)
      if (how === 'dead') locks?.died(instance)
      else locks?.froze(instance)
      timeline.after(0, () => (how === 'dead' ? remove(own) : timeline.after(sleepMs(), () => wakeUp(instance))))
    })
    history.note(`p${instance.id} starts`)
    const own = start(machine, instance)
    present = own
    own.engine.catch((error: unknown) => {
      if (instance.state === 'dead') return
      // Without its locks a process does not start, and its supervisor tries again.
      if (!(error instanceof LocksUnavailable)) {
        history.fail(`p${instance.id} could not start: ${String(error)}`)
      }
      history.note(`p${instance.id} gives its start up`)
      instance.state = 'dead'
      locks?.died(instance)
      remove(own)
    })
  }

  /** A pause that is shorter than the lease, about as long, or far longer. */
  function sleepMs(): number {
    return dice.pick([dice.between(100, 2_900), dice.between(2_900, 4_500), dice.between(4_500, 60_000)])
  }

  function wakeUp(instance: Instance): void {
    if (instance.state !== 'paused') return
    history.note(`p${instance.id} wakes up`)
    locks?.woke(instance)
    resume(instance)
  }

  function remove(process: Process): void {
    forget(process)
    if (present !== process) return
    present = undefined
    draining = false
    timeline.after(dice.between(0, 8_000), () => present ?? (left || begin()))
  }

  function end(): void {
    if (!present) return
    present.instance.state = 'dead'
    locks?.died(present.instance)
    forget(present)
    present = undefined
  }

  return {
    present: () => present,
    isDraining: () => draining,
    hasLeft: () => left,
    wasShared: () => true,
    begin,
    scheduleEnd(end, effectsLeft) {
      if (present) present.instance.scheduledEnd = { effectsLeft, end }
    },
    drain(then) {
      const process = present
      if (!process || draining || process.instance.state !== 'alive') return
      draining = true
      left = then === 'leave'
      history.note(`p${process.instance.id} drains${left ? ' for good' : ''}`)
      void process.engine
        .then((engine) => engine[Symbol.asyncDispose]())
        .then(() => {
          if (process.instance.state === 'dead') return
          history.note(`p${process.instance.id} has drained`)
          process.instance.state = 'dead'
          draining = false
          present = undefined
          if (!left) begin()
        })
        .catch((error: unknown) => {
          if (process.instance.state !== 'dead') history.fail(`draining failed: ${String(error)}`)
        })
    },
    wake() {
      if (present) wakeUp(present.instance)
    },
    lose() {
      left = true
      end()
    },
    stop: end,
    recover() {
      if (present) present.instance.scheduledEnd = undefined
      else if (!left) begin()
    },
    close: end,
  }
}
