// The service as its clients meet it: one process at a time, that dies, pauses, restarts, and is asked things meanwhile.
import { cancelTransaction } from '../src/commands/cancel.ts'
import { cancelPending } from '../src/commands/cancel-pending.ts'
import { replaceTransaction } from '../src/commands/replace.ts'
import { submitTransaction } from '../src/commands/submit.ts'
import { RescindError } from '../src/domain/errors.ts'
import type { RelayerId, TransactionId } from '../src/domain/ids.ts'
import type { SendRequest } from '../src/domain/submit.ts'
import type { Store } from '../src/store/store.ts'
import { type Process, relayerName, start } from './process/engine.ts'
import { openInstance, resume } from './process/instance.ts'
import { ProcessEnded } from './process/store.ts'
import type { World } from './world.ts'

export interface Service {
  up(): boolean
  start(): void
  /** Ends, so many effects from now. */
  doom(end: 'dead' | 'paused', effectsLeft: number): void
  /** Drains, then starts anew. */
  restart(): void
  send(relayer: number, tag: number, request: SendRequest): void
  /** `tag`: of the new payload. */
  replace(relayer: number, id: string, tag: number, request: SendRequest): void
  cancel(relayer: number, id: string): void
  cancelPending(relayer: number): void
  /** Paused processes wake up, and soon die. */
  wakeZombies(): void
  /** Ends at once, with all that was paused, and starts when it is told to. */
  stop(): void
  /** Nothing is doomed any more; what is down starts. */
  recover(): void
  close(): void
}

export function openService(world: World): Service {
  const { machine, history, timeline, clients, dice } = world
  const idOf = (relayer: number) => relayerName(relayer) as RelayerId
  let life = 0
  let present: Process | undefined
  let started: Process | undefined
  let draining = false
  let stopped = false
  const zombies: Process[] = []

  function begin(): void {
    stopped = false
    life += 1
    const instance = openInstance(life, (how) => {
      history.note(`p${instance.id} ${how === 'dead' ? 'crashes' : 'is paused'}`)
      timeline.after(0, () => buried(own, how))
    })
    history.note(`p${life} starts`)
    const own = start(machine, instance)
    present = own
    const ready = () => {
      started = own
    }
    own.engine.then(ready, (error: unknown) => {
      if (instance.state !== 'dead') history.fail(`p${instance.id} could not start: ${String(error)}`)
    })
  }

  /** Once it is at rest: its files are closed, or it lies in wait, and another takes its place. */
  function buried(process: Process, how: 'dead' | 'paused'): void {
    if (present === process) {
      present = undefined
      draining = false
    }
    // Stopped in the moment in which it was to be paused: then it is gone, too.
    if (how === 'dead' || ended(process)) forget(process)
    else {
      zombies.push(process)
      timeline.after(dice.between(500, 60_000), wakeZombies)
    }
    if (!present) timeline.after(dice.between(0, 4_000), () => present ?? (stopped || begin()))
  }

  function wakeZombies(): void {
    for (const zombie of zombies.splice(0)) {
      const { instance } = zombie
      const gone = () => {
        if (instance.state === 'alive') history.note(`p${instance.id} is gone`)
        instance.state = 'dead'
        timeline.after(0, () => forget(zombie))
        sweep()
      }
      history.note(`p${instance.id} wakes up`)
      instance.doom = { effectsLeft: dice.between(3, 25), end: 'dead' }
      instance.ended = gone
      timeline.after(20_000, gone)
      resume(instance)
    }
  }

  /** What a zombie stored it could tell nobody but itself: whoever owns the relayers looks now and then all the same. */
  function sweep(): void {
    void present?.engine
      .then(({ commands }) => {
        for (let relayer = 0; relayer < world.scenario.relayers; relayer += 1) commands.wake(idOf(relayer))
      })
      .catch(() => undefined)
  }

  /** A client's request, to whoever is up now; `done` hears of success, within the unit's place in the order. */
  async function ask<T>(
    what: string,
    run: (commands: Awaited<Process['engine']>['commands']) => Promise<T>,
    done: (answer: T, place: number) => void,
  ): Promise<void> {
    const process = present
    if (!process || draining || process.instance.state !== 'alive') return
    try {
      const { commands } = await process.engine
      let place = -1
      const store: Store = {
        ...commands.store,
        commit: (unit) =>
          commands.store.commit((session) => {
            place = world.state.place
            return unit(session)
          }),
      }
      const answer = await run({ ...commands, store })
      if (process.instance.state !== 'alive') return
      history.note(`${what}: ok`)
      done(answer, place)
    } catch (error) {
      if (error instanceof RescindError) history.note(`${what}: ${error.code}`)
      else if (error instanceof ProcessEnded || ended(process) || draining) history.note(`${what}: gone`)
      else history.fail(`${what}: ${error instanceof Error ? error.stack : String(error)}`)
    }
  }

  return {
    up: () => present?.instance.state === 'alive' && !draining,
    start: begin,
    doom(end, effectsLeft) {
      // One that has not started owns nothing yet: it would take over when it wakes up, which the lock on the file forbids.
      if (present && (end === 'dead' || started === present)) present.instance.doom = { effectsLeft, end }
    },
    restart() {
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
    send(relayer, tag, request) {
      void ask(
        `send ${tag} to r${relayer}`,
        (commands) => submitTransaction(commands, idOf(relayer), request),
        ({ id }) => clients.accepted.set(id, { relayer, tag }),
      )
    },
    replace(relayer, id, tag, request) {
      void ask(
        `PUT ${tag} over ${id.slice(-6)}`,
        (commands) => replaceTransaction(commands, idOf(relayer), id as TransactionId, request),
        () => clients.replaced.push({ id, tag }),
      )
    },
    cancel(relayer, id) {
      void ask(
        `DELETE ${id.slice(-6)}`,
        (commands) => cancelTransaction(commands, idOf(relayer), id as TransactionId),
        (_, place) => {
          if (!clients.deleted.has(id)) clients.deleted.set(id, place)
        },
      )
    },
    cancelPending(relayer) {
      void ask(
        `DELETE all of r${relayer}`,
        (commands) => cancelPending(commands, idOf(relayer)),
        ({ canceled, failed }, place) => {
          for (const id of canceled) if (!clients.deleted.has(id)) clients.deleted.set(id, place)
          for (const { id, reason } of failed) history.fail(`DELETE all left ${id.slice(-6)}: ${reason}`)
        },
      )
    },
    wakeZombies,
    stop() {
      stopped = true
      for (const process of [...zombies.splice(0), ...(present ? [present] : [])]) {
        process.instance.state = 'dead'
        forget(process)
      }
      present = undefined
      draining = false
    },
    recover() {
      if (present) present.instance.doom = undefined
      else begin()
    },
    close() {
      for (const process of [...zombies, ...(present ? [present] : [])]) {
        process.instance.state = 'dead'
        forget(process)
      }
    },
  }
}

/**
 * Nothing that it does has any effect now. Its signals are aborted all the same: the runtime keeps those that somebody
 * listens to, and with them everything that a run ever made.
 */
function forget(process: Process): void {
  void process.engine.then((engine) => engine[Symbol.asyncDispose]()).catch(() => undefined)
}

function ended({ instance }: Process): boolean {
  return instance.state === 'dead'
}
