// Rows that move under the pointer or the focus are pressed by mistake: they keep their order until it leaves.
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'

/** A finger does not hover, but browsers keep the last touched element as if it did. */
const hasPointer = matchMedia('(hover: hover)')

/** `best` in its order, or in the last shown one while `box` is held. A new row brings the best order. */
export function useSteadyOrder<T extends { readonly id: string }>(best: readonly T[]) {
  const box = useRef<HTMLDivElement>(null)
  const order = useRef<readonly string[]>([])
  const left = useSignal(0)
  // Read, so that the rows are sorted as soon as the pointer or the focus has left.
  void left.value
  const isKnown = best.every(({ id }) => order.current.includes(id))
  const placeOf = ({ id }: T) => order.current.indexOf(id)
  const steady = isHeld(box.current) && isKnown ? [...best].sort((one, other) => placeOf(one) - placeOf(other)) : best
  order.current = steady.map(({ id }) => id)

  const leave = () => {
    left.value += 1
  }
  return { steady, holding: { ref: box, onPointerLeave: leave, onFocusOut: leave } }
}

/** From the page as it is: a focused element that is removed reports no end of its focus. */
function isHeld(box: HTMLElement | null): boolean {
  if (!box) return false
  return box.contains(document.activeElement) || (hasPointer.matches && box.matches(':hover'))
}
