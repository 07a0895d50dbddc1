// Part of the store port: an item of a page that may be large. Memory holds as many of them as their reader reads at once.

export interface PageItem<T> {
  /** About the bytes of its payloads, as text. */
  readonly bytes: number
  /** Undefined if the item was removed since the page was read. */
  readonly read: () => Promise<T | undefined>
}
