// The host of a process that has the database to itself: when it is paused, another takes its place, and it ends after it resumes.
import type { RelayerId } from '../src/domain/ids.ts'
import { ended, forget, type Host } from './host.ts'
import { type Process, relayerName, start } from './process/engine.ts'
import { openInstance, resume } from './process/instance.ts'
import type { World } from './world.ts'

export function openSingleProcess(world: World, nextProcessId: () => number): Host {
  const { machine, history, timeline, dice } = world
  let present: Process | undefined
  let started: Process | undefined
  let draining = false
  let stopped = false
  let shared = false
  const pausedProcesses: Process[] = []

  function begin(): void {
    stopped = false
    const instance = openInstance(nextProcessId(), (how) => {
      history.note(`p${instance.id} ${how === 'dead' ? 'crashes' : 'is paused'}`)
      world.marks.ended(how)
      timeline.after(0, () => atRest(own, how))
    })
    history.note(`p${instance.id} starts`)
    const own = start(machine, instance)
    present = own
    const ready = () => {
      started = own
    }
    own.engine.then(ready, (error: unknown) => {
      if (instance.state !== 'dead') history.fail(`p${instance.id} could not start: ${String(error)}`)
    })
  }

  /** The process is at rest: dead, with its files closed, or paused. Another process takes its place. */
  function atRest(process: Process, how: 'dead' | 'paused'): void {
    if (present === process) {
      present = undefined
      draining = false
    }
    // A process that was stopped at the moment of its pause is dead, too.
    if (how === 'dead' || ended(process)) forget(process)
    else {
      pausedProcesses.push(process)
      timeline.after(dice.between(500, 60_000), resumePaused)
    }
    if (!present) timeline.after(dice.between(0, 4_000), () => present ?? (stopped || begin()))
  }

  function resumePaused(): void {
    for (const paused of pausedProcesses.splice(0)) {
      const { instance } = paused
      const gone = () => {
        if (instance.state === 'alive') history.note(`p${instance.id} is gone`)
        instance.state = 'dead'
        timeline.after(0, () => forget(paused))
        wakeRelayers()
      }
      shared = true
      history.note(`p${instance.id} wakes up`)
      instance.scheduledEnd = { effectsLeft: dice.between(3, 25), end: 'dead' }
      instance.ended = gone
      timeline.after(20_000, gone)
      resume(instance)
    }
  }

  /** A resumed process can't notify its successor, so wake all relayers. */
  function wakeRelayers(): void {
    void present?.engine
      .then(({ commands }) => {
        for (let relayer = 0; relayer < world.scenario.relayers; relayer += 1)
          commands.wake(relayerName(relayer) as RelayerId)
      })
      .catch(() => undefined)
  }

  return {
    present: () => present,
    isDraining: () => draining,
    hasLeft: () => false,
    wasShared: () => shared,
    begin,
    scheduleEnd(end, effectsLeft) {
      // A process that has not started would take over when it resumes, which the lock on the file forbids.
      if (present && (end === 'dead' || started === present)) present.instance.scheduledEnd = { effectsLeft, end }
    },
    drain() {
      const process = present
      if (!process || draining || process.instance.state !== 'alive') return
      draining = true
      history.note(`p${process.instance.id} drains`)
      void process.engine
        .then((engine) => engine[Symbol.asyncDispose]())
        .then(() => {
          draining = false
          if (process.instance.state !== 'alive') return
          history.note(`p${process.instance.id} has drained`)
          process.instance.state = 'dead'
          if (present === process) begin()
        })
        .catch((error: unknown) => {
          draining = false
          if (process.instance.state !== 'dead') history.fail(`draining failed: ${String(error)}`)
        })
    },
    lose: () => undefined,
    wake: resumePaused,
    stop() {
      stopped = true
      for (const process of [...pausedProcesses.splice(0), ...(present ? [present] : [])]) {
        process.instance.state = 'dead'
        forget(process)
      }
      present = undefined
      draining = false
    },
    recover() {
      if (present) present.instance.scheduledEnd = undefined
      else begin()
    },
    close() {
      for (const process of [...pausedProcesses, ...(present ? [present] : [])]) {
        process.instance.state = 'dead'
        forget(process)
      }
    },
  }
}
