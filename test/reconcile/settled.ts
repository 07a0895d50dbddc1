// Waits until a condition holds, a turn of the event loop at a time: what the test drives takes no time by itself.
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 20_000; turn += 1) {
    if (await condition()) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error(`never came: ${what}`)
}

/** Enough turns for everything that needs no further event. */
export async function quiescence(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
