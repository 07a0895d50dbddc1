// The bound of a cancellation: the most that one no-op may cost. Null: without one. It has landed, and is never edited.

export const ofCostBounds = [
  { name: '057-cost-bounds', statements: ['ALTER TABLE transactions ADD COLUMN cancel_cost_max TEXT'] },
]
