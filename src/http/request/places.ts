// Places for what lasts, such as streams and waits: so many for each API key.
import type { ApiKeyId } from '../../domain/ids.ts'

interface Places {
  /** Takes a place. Returns the function that gives it back, or undefined when all of the key's places are taken. */
  take(key: ApiKeyId): (() => void) | undefined
}

export function openPlaces(perKeyMax: number): Places {
  const taken = new Map<ApiKeyId, number>()
  return {
    take(key) {
      const before = taken.get(key) ?? 0
      if (before >= perKeyMax) return undefined
      taken.set(key, before + 1)
      let isTaken = true
      return () => {
        if (!isTaken) return
        isTaken = false
        const left = (taken.get(key) ?? 0) - 1
        if (left > 0) taken.set(key, left)
        else taken.delete(key)
      }
    },
  }
}
