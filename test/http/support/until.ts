// Waits for a condition by looking, with a bound that no working code meets.
import { setTimeout as sleep } from 'node:timers/promises'

export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 4000; looks++) {
    if (await condition()) return
    await sleep(10)
  }
  throw new Error('the condition did not come true')
}
