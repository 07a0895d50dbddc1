// The mark of a transaction that was on hold. It has landed, and is never edited.

export const ofWasHeld = [
  { name: '062-was-held', statements: ['ALTER TABLE transactions ADD COLUMN was_held INTEGER'] },
]
