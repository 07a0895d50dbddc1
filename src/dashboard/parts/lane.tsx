// The nonce lane: a real table with a row for each nonce, and in it the attempts over blocks as SVG, with the same in words.

import type { TraceView } from '../../client/dashboard-types.ts'
import { grouped } from '../state/format.ts'
import { feeOf, type LaneMark, type LaneRow, laneOf, rowInWords } from '../state/lane.ts'
import { Gwei } from './exact.tsx'
import { TransactionBadge, TransactionLink } from './pieces.tsx'

const width = 560
const height = 34
const margin = 14
/** Where attempts of earlier blocks stand. */
const gutter = 84

export function NonceLane({ relayer, traces }: { relayer: string; traces: readonly TraceView[] }) {
  const { rows, first, last, hasEarlier } = laneOf(traces)
  const left = hasEarlier ? gutter : margin
  const x = (block: number) =>
    block < first ? 2 * margin : left + ((block - first) / (last - first)) * (width - left - margin)
  const ticks = [first, Math.round((first + last) / 2), last]
  return (
    <div class="scroll">
      <table class="lane">
        <caption class="unseen">Nonces, lowest first, with their attempts over blocks</caption>
        <thead>
          <tr>
            <th scope="col" class="number">
              Nonce
            </th>
            <th scope="col">Transaction</th>
            <th scope="col">State</th>
            <th scope="col" class="drawn">
              <span class="unseen">Attempts over blocks</span>
              <svg viewBox={`0 0 ${width} 18`} aria-hidden="true">
                {hasEarlier && (
                  <text x="0" y="13" class="tick">
                    ← earlier
                  </text>
                )}
                {ticks.map((block, index) => (
                  <text key={block} x={x(block)} y="13" text-anchor={['start', 'middle', 'end'][index]} class="tick">
                    {index === 0 ? 'block ' : ''}
                    {grouped(block)}
                  </text>
                ))}
              </svg>
            </th>
            <th scope="col" class="number">
              For a unit of gas
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.trace.transaction.id} relayer={relayer} row={row} x={x} first={first} />
          ))}
        </tbody>
      </table>
      <Legend hasEarlier={hasEarlier} />
    </div>
  )
}

function Row({ relayer, row, ...place }: { relayer: string; row: LaneRow } & Place) {
  const fee = feeOf(row)
  const { trace, nonce } = row
  const { id } = trace.transaction
  return (
    <tr class={row.isOpen ? 'open' : 'over'}>
      <th scope="row" class="number">
        {grouped(nonce)}
      </th>
      <td>
        <TransactionLink relayer={relayer} id={id} />
        {trace.origin === 'gap' && <small>gap filler</small>}
      </td>
      <td>
        <TransactionBadge trace={trace} />
      </td>
      <td class="drawn">
        <span class="unseen">{rowInWords(row)}</span>
        <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          <Drawing row={row} {...place} />
        </svg>
      </td>
      <td class="number">
        {fee ? (
          <>
            <span class="unit">{fee[0]}</span> <Gwei wei={fee[1]} />
          </>
        ) : (
          '—'
        )}
      </td>
    </tr>
  )
}

interface Place {
  readonly x: (block: number) => number
  readonly first: number
}

function Drawing({ row, x, first }: { row: LaneRow } & Place) {
  const middle = height / 2
  const places = new Map<number, number>()
  return (
    <>
      <line x1={x(row.begin)} x2={x(row.end)} y1={middle} y2={middle} class={row.isOpen ? 'wire open' : 'wire'} />
      {row.begin < first && <path d="M12 11 5 17 12 23" class="earlier" />}
      {row.marks.map((mark, index) => {
        // Attempts of one block stand beside each other, and so do all earlier ones.
        const place = Math.max(mark.block, first - 1)
        const before = places.get(place) ?? 0
        places.set(place, before + 1)
        const [step, most] = mark.block < first ? [16, gutter - margin] : [11, width - margin]
        const at = Math.min(x(mark.block) + before * step, most)
        return <Sign key={index} mark={mark} x={at} y={middle} />
      })}
    </>
  )
}

/** A shape for each kind, so that no color is needed. */
function Sign({ mark, x, y }: { mark: LaneMark; x: number; y: number }) {
  const name = `sign ${mark.kind}${mark.isIncluded ? ' included' : ''}${mark.isOut ? ' out' : ''}`
  return (
    <g class={name} transform={`translate(${x} ${y})`}>
      {mark.isIncluded && <circle r="9.5" class="ring" />}
      <Shape kind={mark.kind} />
    </g>
  )
}

function Shape({ kind }: { kind: LaneMark['kind'] }) {
  if (kind === 'cancel') return <rect x="-4.5" y="-4.5" width="9" height="9" rx="1" />
  if (kind === 'replace') return <path d="M0-6.2 6.2 0 0 6.2-6.2 0Z" />
  if (kind === 'foreign') return <path d="M0-6 6 5H-6Z" />
  return <circle r="4.8" />
}

const legend: readonly (readonly [LaneMark['kind'], string])[] = [
  ['execute', 'payload'],
  ['replace', 'replacement'],
  ['cancel', 'no-op'],
  ['foreign', 'foreign'],
]

function Legend({ hasEarlier }: { hasEarlier: boolean }) {
  return (
    <ul class="legend" aria-hidden="true">
      {legend.map(([kind, word]) => (
        <li key={kind}>
          <svg viewBox="-10 -10 20 20" aria-hidden="true">
            <g class={`sign ${kind}`}>
              <Shape kind={kind} />
            </g>
          </svg>
          {word}
        </li>
      ))}
      <li>
        <svg viewBox="-10 -10 20 20" aria-hidden="true">
          <g class="sign execute included">
            <circle r="9" class="ring" />
            <Shape kind="execute" />
          </g>
        </svg>
        in a block
      </li>
      <li>
        <svg viewBox="-10 -10 20 20" aria-hidden="true">
          <g class="sign execute out">
            <Shape kind="execute" />
          </g>
        </svg>
        no node has it
      </li>
      {hasEarlier && (
        <li>
          <svg viewBox="-10 -10 20 20" aria-hidden="true">
            <path d="M4-6-4 0 4 6" class="earlier" />
          </svg>
          signed before the first block shown
        </li>
      )}
    </ul>
  )
}
