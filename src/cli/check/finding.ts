// The result of one check.

/** `warning`: the service starts, but an operator should read it. `error`: it does not start, or can't use the node. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'error'
  /** The part that was checked, such as `database`, or `sepolia, endpoint 1`. */
  readonly place: string
  readonly check: string
  readonly text: string
}
