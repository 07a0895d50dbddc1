// Rows that move under the pointer or the focus are pressed by mistake: they keep their order until it leaves.
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'

/** `best` in its order, or in the last shown one while the table is held. A new row brings the best order. */
export function useSteadyOrder<T extends { readonly id: string }>(best: readonly T[]) {
  const isHeld = useSignal(false)
  const order = useRef<readonly string[]>([])
  const isKnown = best.every(({ id }) => order.current.includes(id))
  const placeOf = ({ id }: T) => order.current.indexOf(id)
  const steady = isHeld.value && isKnown ? [...best].sort((one, other) => placeOf(one) - placeOf(other)) : best
  order.current = steady.map(({ id }) => id)

  const hold = (value: boolean) => {
    isHeld.value = value
  }
  return {
    steady,
    holding: {
      onPointerEnter: () => hold(true),
      onPointerLeave: (event: PointerEvent & { currentTarget: HTMLElement }) =>
        hold(event.currentTarget.contains(document.activeElement)),
      onFocusIn: () => hold(true),
      onFocusOut: (event: FocusEvent & { currentTarget: HTMLElement }) =>
        hold(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)),
    },
  }
}
