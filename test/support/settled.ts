// Waits until a condition holds, a turn of the event loop at a time: what the test drives takes no time by itself. Only a
// database's server does.
import { setTimeout as sleep } from 'node:timers/promises'

const turnsWithoutServer = 20_000

export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 2 * turnsWithoutServer; turn += 1) {
    if (await condition()) return
    if (turn < turnsWithoutServer) await new Promise((resolve) => setImmediate(resolve))
    else await sleep(1)
  }
  throw new Error(`never came: ${what}`)
}

/** Enough turns for everything that needs no further event. */
export async function quiescence(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
