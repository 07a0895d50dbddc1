// The way to canceling all: loud where something is stuck, quiet elsewhere, and always in its place.
import { pathOf } from '../state/request.ts'

export function CancelAllLink({ id, isOpen, isUrgent }: { id: string; isOpen: boolean; isUrgent: boolean }) {
  if (!isOpen) {
    return (
      <button type="button" class="plain" disabled title="Nothing is open">
        Cancel all…
      </button>
    )
  }
  return (
    <a class={`button ${isUrgent ? 'danger' : 'quiet'}`} href={pathOf`/relayers/${id}/cancel-all`}>
      Cancel all…<span class="unseen"> of {id}</span>
    </a>
  )
}
