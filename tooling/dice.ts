// Seeded randomness: the same seed and stream give the same numbers on any machine (sfc32, seeded by splitmix32).

export interface Dice {
  /** True once in 1/p. */
  chance(p: number): boolean
  /** A whole number from 0 to `n` - 1. */
  below(n: number): number
  /** A whole number from `least` to `most`, both possible. */
  between(least: number, most: number): number
  pick<T>(items: readonly T[]): T
  /** A key, as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K
  bytes(length: number): Uint8Array
}

interface Summed {
  readonly entries: readonly (readonly [string, number])[]
  readonly sum: number
}

/** Weights stay as they are once they are drawn from. */
const sums = new WeakMap<object, Summed>()

function summed(weights: Readonly<Record<string, number>>): Summed {
  const known = sums.get(weights)
  if (known) return known
  const entries = Object.entries(weights)
  const fresh = { entries, sum: entries.reduce((sum, [, weight]) => sum + weight, 0) }
  sums.set(weights, fresh)
  return fresh
}

/** Streams of one seed are independent: what the engine draws does not shift what the world does. */
export function dice(seed: number, stream: string): Dice {
  let mix = seed >>> 0
  for (const char of stream) mix = Math.imul(mix ^ char.charCodeAt(0), 0x01000193) >>> 0
  const state = (): number => {
    mix = (mix + 0x9e3779b9) >>> 0
    let z = mix
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b)
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35)
    return (z ^ (z >>> 16)) >>> 0
  }
  let [a, b, c, d] = [state(), state(), state(), 1]

  function next(): number {
    const t = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + t) | 0
    return t >>> 0
  }
  for (let warm = 0; warm < 12; warm += 1) next()

  const below = (n: number) => Math.floor((next() / 0x1_0000_0000) * n)
  return {
    chance: (p) => next() / 0x1_0000_0000 < p,
    below,
    between: (least, most) => least + below(most - least + 1),
    pick(items) {
      const item = items[below(items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
    weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
      const { entries, sum } = summed(weights)
      let left = (next() / 0x1_0000_0000) * sum
      for (const [key, weight] of entries) {
        left -= weight
        if (left < 0) return key as K
      }
      throw new Error('no weights')
    },
    bytes: (length) => Uint8Array.from({ length }, () => next() & 0xff),
  }
}
