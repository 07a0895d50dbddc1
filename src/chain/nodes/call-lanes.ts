// Lets few calls whose answers payloads shape be under way at once, and still fewer of one account: a node may compute for
// seconds over each of them.
import type { Call } from './call.ts'

const lanes = 8
const lanesOfAccount = 4

interface CallLanes {
  /** Runs `send` once a lane is free. Calls of one account keep their order. */
  run<T>(call: Call, send: () => Promise<T>): Promise<T>
}

interface Waiting {
  readonly account: string
  readonly start: () => void
}

export function openCallLanes(): CallLanes {
  const busy = new Map<string, number>()
  let waiting: readonly Waiting[] = []

  function startNext(): void {
    let used = [...busy.values()].reduce((sum, count) => sum + count, 0)
    waiting = waiting.filter(({ account, start }) => {
      const ofAccount = busy.get(account) ?? 0
      if (used >= lanes || ofAccount >= lanesOfAccount) return true
      used += 1
      busy.set(account, ofAccount + 1)
      start()
      return false
    })
  }

  return {
    async run(call, send) {
      const account = senderOf(call)
      await new Promise<void>((start) => {
        waiting = [...waiting, { account, start }]
        startNext()
      })
      try {
        return await send()
      } finally {
        const left = (busy.get(account) ?? 1) - 1
        if (left === 0) busy.delete(account)
        else busy.set(account, left)
        startNext()
      }
    },
  }
}

function senderOf({ params: [transaction] }: Call): string {
  const named = typeof transaction === 'object' && transaction !== null && 'from' in transaction && transaction.from
  return typeof named === 'string' ? named.toLowerCase() : ''
}
