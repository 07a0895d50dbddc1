// Text fields of the form of a bulk cancellation.

interface FieldState {
  readonly value: string
  readonly set: (text: string) => void
}

export function Field({ label, hint, value, set }: FieldState & { label: string; hint?: string }) {
  return (
    <label>
      {label}
      <input
        type="text"
        placeholder={hint}
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </label>
  )
}

export function FieldRange({
  legend,
  labels: [one, other],
  ...fields
}: {
  legend: string
  labels: readonly [string, string]
  one: FieldState
  other: FieldState
}) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      <Field label={one} {...fields.one} />
      <Field label={other} {...fields.other} />
    </fieldset>
  )
}
