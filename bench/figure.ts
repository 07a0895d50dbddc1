// A measured figure beside what the design aims at. Nothing here judges.
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** In words, for example `15,000 or more`. Absent: reported for what it explains. */
  readonly aim?: string
}

export function lineOf({ name, value, unit, aim }: Figure): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  const shown = value.toLocaleString('en-US', { maximumFractionDigits: digits })
  return `${name}: ${shown} ${unit}${aim === undefined ? '' : ` (aim ${aim})`}`
}
