// Figures over time, drawn by uPlot. The table beside it says the same in figures.

import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

const scheme = matchMedia('(prefers-color-scheme: dark)')
const isDark = signal(scheme.matches)
scheme.addEventListener('change', () => {
  isDark.value = scheme.matches
})

interface Series {
  /** Unix seconds of the beginning of each bar. */
  readonly times: readonly number[]
  /** In the unit of the axis: only the drawing is rounded. */
  readonly amounts: readonly number[]
  readonly unit: string
  /** Whether the labels are times of a day, in UTC, or days. */
  readonly isWithinDays?: boolean
}

export function Chart({ times, amounts, unit, isWithinDays = false }: Series) {
  const box = useRef<HTMLDivElement>(null)
  const dark = isDark.value
  useEffect(() => {
    const element = box.current
    if (!element) return
    // A canvas takes no variables: these three properties carry the colors of the scheme.
    const style = getComputedStyle(element)
    const axis = { stroke: style.color, grid: { stroke: style.borderTopColor, width: 1 }, ticks: { show: false } }
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: 220,
        cursor: { show: false },
        legend: { show: false },
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
        scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
        axes: [
          {
            ...axis,
            grid: { show: false },
            // The label of zero ends at the height of this axis' own labels.
            gap: 12,
            size: 44,
            values: (_, ticks) => ticks.map((seconds) => labelOf(seconds, isWithinDays)),
          },
          { ...axis, size: 78, values: (_, ticks) => ticks.map((tick) => `${tick} ${unit}`.trim()) },
        ],
        series: [
          {},
          {
            fill: style.outlineColor,
            width: 0,
            points: { show: false },
            ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.7, 40] }) }),
          },
        ],
      },
      [[...times], [...amounts]],
      element,
    )
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: 220 }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
  }, [times, amounts, unit, isWithinDays, dark])
  return <div ref={box} class="chart" aria-hidden="true" />
}

function labelOf(seconds: number, isWithinDays: boolean): string {
  const iso = new Date(seconds * 1000).toISOString()
  return isWithinDays ? iso.slice(11, 16) : iso.slice(5, 10)
}
