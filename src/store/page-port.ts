// Part of the store port: the pages of lists.

export interface PageRequest {
  /** From 1. */
  readonly page: number
  readonly perPage: number
}

export interface Page<T> {
  readonly items: readonly T[]
  readonly total: number
}

/** An item that may be large. Memory holds as many of them as their reader reads at once. */
export interface PageItem<T> {
  /** About the bytes of its payloads, as text. */
  readonly bytes: number
  /** Undefined if the item was removed since the page was read. */
  readonly read: () => Promise<T | undefined>
}
