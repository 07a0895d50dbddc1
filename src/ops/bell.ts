// A wake-up signal. Rings without a waiter count as one ring for the next.
export interface Bell {
  ring(): void
  /** Forgets the rings so far. */
  silence(): void
  /** Resolves at the next ring, or at once if it rang since the last wait; never rejects. */
  wait(signal: AbortSignal): Promise<void>
}

export function bell(): Bell {
  let rang = false
  let waiter: (() => void) | undefined
  return {
    ring() {
      rang = true
      waiter?.()
    },
    silence() {
      rang = false
    },
    async wait(signal) {
      if (!rang && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const wake = () => {
            signal.removeEventListener('abort', wake)
            resolve()
          }
          waiter = wake
          signal.addEventListener('abort', wake)
        })
      }
      waiter = undefined
      rang = false
    },
  }
}
