// A budget of bytes that several requests share. A request that does not fit waits its turn.

export interface ByteBudget {
  /**
   * Resolves once the bytes are free, first come, first served, or as soon as `signal` aborts. The result gives them
   * back. More bytes than the whole budget count as all of it.
   */
  take(bytes: number, signal: AbortSignal): Promise<() => void>
}

interface Waiting {
  readonly bytes: number
  readonly start: () => void
}

export function openByteBudget(total: number): ByteBudget {
  let free = total
  let waiting: Waiting[] = []

  function next(): void {
    for (let first = waiting[0]; first && first.bytes <= free; first = waiting[0]) {
      waiting.shift()
      free -= first.bytes
      first.start()
    }
  }

  return {
    async take(wanted, signal) {
      const bytes = Math.min(wanted, total)
      const { promise, resolve } = Promise.withResolvers<void>()
      let taken = 0
      const mine = {
        bytes,
        start: () => {
          taken = bytes
          resolve()
        },
      }
      const leave = () => {
        waiting = waiting.filter((each) => each !== mine)
        resolve()
        next()
      }
      waiting.push(mine)
      if (signal.aborted) leave()
      signal.addEventListener('abort', leave, { once: true })
      next()
      await promise
      signal.removeEventListener('abort', leave)
      return () => {
        free += taken
        taken = 0
        next()
      }
    },
  }
}

/** A share of a larger budget: it takes from both, from the share first. */
export function openShare(of: ByteBudget, total: number): ByteBudget {
  const own = openByteBudget(total)
  return {
    async take(bytes, signal) {
      const returnOwn = await own.take(bytes, signal)
      const returnShared = await of.take(Math.min(bytes, total), signal)
      return () => {
        returnShared()
        returnOwn()
      }
    },
  }
}
