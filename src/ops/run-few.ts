// Runs some tasks at a time, the others in their order.

export function runFew(max: number): <T>(task: () => T | Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let free = max
  return async (task) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    else free -= 1
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
