import type { Store } from '../../src/store/store.ts'
export interface StoreUnderTest extends AsyncDisposable {
  readonly store: Store
  query<Row>(sql: string): Promise<readonly Row[]>
}
